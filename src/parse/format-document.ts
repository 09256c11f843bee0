import { describePart, findPartOwner, hasPart } from '../model/declare/more-members.ts'
import { isObject } from '../model/kinds/json.ts'

/** The fields of a resource by name, as clients in process and over HTTP pass them. */
export type FieldInput = Readonly<Record<string, unknown>>

/** A resource type, as far as its documents depend on it. */
export interface InputType {
  readonly type: string
  /** Returns the related type of a relationship; `undefined` for other names. */
  readonly relatedType: (name: string) => string | undefined
}

/**
 * Formats the fields of a create or an update as a JSON:API document. Names that are not declared become attributes, so that
 * planning rejects them with their names. A field that is `undefined` is left out.
 *
 * @param id - the id of the resource to update, which must be that of the fields if they have one; `undefined` for a create
 */
export function formatResource(
  { type, relatedType }: InputType,
  input: FieldInput,
  id?: string,
): Readonly<{ data: Readonly<Record<string, unknown>> }> {
  const attributes: Record<string, unknown> = {}
  const relationships: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || name === 'id' || name === 'type') continue
    const to = relatedType(name)
    if (to !== undefined) {
      const part = describePart(value, hasPart(input, name))
      relationships[name] = { data: formatLinkage(value, to), ...part }
    } else if (!isPartMember(name, relatedType)) attributes[name] = value
  }
  return {
    data: { type: input.type ?? type, id: input.id ?? id, attributes, relationships },
  }
}

/** Whether a member says that a relationship, which is sent with it, is a part of the members. */
function isPartMember(name: string, relatedType: InputType['relatedType']): boolean {
  const relationship = findPartOwner(name)
  return relationship !== undefined && relatedType(relationship) !== undefined
}

/**
 * Formats related resources as linkage. Each is an id, or an object with `type` and `id`, such as a resource that was read,
 * or with `type` and `lid`: a new one of the same batch.
 * @param to - the related type
 */
function formatLinkage(value: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((each) => formatLinkage(each, to))
  if (typeof value === 'string') return { type: to, id: value }
  if (!isObject(value)) return value
  const { id, lid } = value
  const type = value.type ?? to
  return id === undefined && lid !== undefined ? { type, lid } : { type, id }
}

/** Formats the members of a change. Those that replace all others are marked if they are a part of them, so that the server refuses them. */
export function formatMembers(
  kind: ParsedChange[0],
  members: unknown,
  to: string,
): Readonly<{ data: unknown; meta?: object }> {
  const part = kind === 'replace' ? describePart(members) : {}
  return { data: formatLinkage(members, to), ...part }
}

/** The change of a relationship: what happens with the members, and the members. */
type ParsedChange = readonly [change: 'add' | 'remove' | 'replace', members: unknown]

/** Parses a change such as `{ add: ['1'] }`. @throws TypeError unless it has exactly one of `add`, `remove` and `replace` */
export function parseChange(change: FieldInput): ParsedChange {
  const [[kind, members] = [], ...others] = Object.entries(change)
  if ((kind === 'add' || kind === 'remove' || kind === 'replace') && others.length === 0)
    return [kind, members]
  throw new TypeError('A change of a relationship has one of the members add, remove and replace.')
}

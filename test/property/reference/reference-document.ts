/**
 * Computes the fields, linkage and included resources of a document over plain objects, as `docs/service.md`, Documents and
 * Query parameters, defines them.
 */

import { idOf, relatedRows, valueIn } from '../everything/rows.ts'
import {
  type Data,
  getAttribute,
  getRelationship,
  getType,
  isReadable,
  type JsonValue,
  type Row,
} from '../schema.ts'
import { kinds } from './reference-kinds.ts'

/** The content of a document. A type without an entry in `fields` has all fields. */
export interface Selection {
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** Dotted paths of relationships. */
  readonly include: readonly string[]
  /** Relationships of the primary type whose numbers are requested. */
  readonly withCount?: readonly string[]
}

/** A resource identifier. */
export type Identifier = Readonly<{ type: string; id: string }>

/** A resource as the reference returns it. */
export interface Expected extends Identifier {
  readonly attributes: Readonly<Record<string, JsonValue>>
  /** By name; `undefined` for one whose linkage is not returned. */
  readonly relationships: Readonly<
    Record<string, Identifier | readonly Identifier[] | null | undefined>
  >
  /** The numbers of related resources that are returned, by relationship. */
  readonly counts: Readonly<Record<string, number>>
}

/** A resource as a document names it, e.g. `person 3`. */
export function keyOf({ type, id }: Identifier): string {
  return `${type} ${id}`
}

/** The expected resources by `keyOf`: the primary rows of a type, and the resources that are included. */
export function expectedResources(
  data: Data,
  type: string,
  rows: readonly Row[],
  selection: Selection,
): ReadonlyMap<string, Expected> {
  const followed = listFollowed(data, type, selection)
  const { withCount = [] } = selection
  const returned = new Map<string, Expected>()
  const visit = (at: string, row: Row, path: readonly string[]): void => {
    const key = keyOf({ type: at, id: idOf(data.schema, at, row) })
    const counted = at === type ? withCount : []
    const shown = { selection, followed, counted }
    if (!returned.has(key)) returned.set(key, expect(data, at, row, shown))
    const [relationship, ...others] = path
    if (relationship === undefined || !isSelected(selection, at, relationship)) return
    const { to } = getRelationship(data.schema, at, relationship)
    for (const related of relatedRows(data, at, row, relationship)) visit(to, related, others)
  }
  for (const row of rows) {
    visit(type, row, [])
    for (const path of selection.include) visit(type, row, path.split('.'))
  }
  return returned
}

/** The expected linkage: a list of identifiers, or one or null for a to-one relationship. */
function linkageOf(
  data: Data,
  type: string,
  row: Row,
  name: string,
): Identifier | readonly Identifier[] | null {
  const { to, many } = getRelationship(data.schema, type, name)
  const identifiers = relatedRows(data, type, row, name).map((related) => ({
    type: to,
    id: idOf(data.schema, to, related),
  }))
  return many ? identifiers : (identifiers[0] ?? null)
}

/** The relationships that are included, as `type.relationship`: their linkage is returned wherever the type is. */
function listFollowed(data: Data, type: string, selection: Selection): Set<string> {
  const followed = new Set<string>()
  for (const path of selection.include) {
    let at = type
    for (const relationship of path.split('.')) {
      if (!isSelected(selection, at, relationship)) break
      followed.add(`${at}.${relationship}`)
      at = getRelationship(data.schema, at, relationship).to
    }
  }
  return followed
}

function expect(
  data: Data,
  type: string,
  row: Row,
  {
    selection,
    followed,
    counted,
  }: Readonly<{
    selection: Selection
    followed: ReadonlySet<string>
    counted: readonly string[]
  }>,
): Expected {
  const { attributes, relationships } = getType(data.schema, type)
  const selected = (names: object) =>
    Object.keys(names).filter((name) => isSelected(selection, type, name))
  const isLinked = (name: string) =>
    selection.fields[type] !== undefined || followed.has(`${type}.${name}`)
  return {
    type,
    id: idOf(data.schema, type, row),
    attributes: Object.fromEntries(
      selected(attributes)
        .filter((name) => isReadable(getAttribute(data.schema, type, name)))
        .map((name) => [name, serializeAttribute(data, type, row, name)]),
    ),
    relationships: Object.fromEntries(
      selected(relationships).map((name) => [
        name,
        isLinked(name) ? linkageOf(data, type, row, name) : undefined,
      ]),
    ),
    counts: Object.fromEntries(
      counted
        .filter((name) => isSelected(selection, type, name))
        .map((name) => [name, relatedRows(data, type, row, name).length]),
    ),
  }
}

/** Whether the fieldset of a type, if there is one, contains the field. */
function isSelected({ fields }: Selection, type: string, field: string): boolean {
  return fields[type]?.includes(field) ?? true
}

function serializeAttribute(data: Data, type: string, row: Row, name: string): JsonValue {
  const attribute = getAttribute(data.schema, type, name)
  const value = valueIn(data, type, row, name)
  return value === null ? null : kinds[attribute.kind].serialize(value, attribute)
}

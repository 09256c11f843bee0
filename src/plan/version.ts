import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import {
  getResourceType,
  listStoredColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
  type StoredValue,
} from '../model/model.ts'
import type { Sealer } from '../model/seal.ts'
import { toStoredValue } from './fields.ts'
import {
  findLinkageIndex,
  findValueIndex,
  isSameValue,
  type LinkageColumn,
  type Row,
  type RowLayout,
} from './row-layout.ts'

/**
 * A part of what the version of a resource depends on: a stored value of its row and its JSON text, or the linkage of a relationship.
 * Parts have one representation, whatever else a document contains, so that every document has the same version.
 */
type VersionPart =
  | Readonly<{ is: 'value'; value: StoredValue; serialize: (value: unknown) => string }>
  | Readonly<{ is: 'linkage'; relationship: string }>

/** Returns the version of the resource of a row. */
export type GetVersion = (row: Row) => string

/**
 * Adds the values to a layout that the version of the resource depends on.
 * @param model - with the fields that exist for the identity: what it may not know does not change its versions
 */
export function addVersion(
  layout: RowLayout,
  model: Model,
  version: NonNullable<RowLayout['version']> = 'silent',
): RowLayout {
  const values = [...layout.values]
  const linkages: LinkageColumn[] = [...layout.linkages]
  for (const part of listParts(getResourceType(model, layout.type), model)) {
    if (part.is === 'value') {
      const isRead = values.some((value) => isSameValue(value, part.value))
      if (!isRead) values.push(acceptAll(part.value))
    } else if (findLinkageIndex(layout, part.relationship) === -1)
      linkages.push({ relationship: part.relationship, many: false, isSilent: true })
  }
  return { ...layout, values, linkages, version }
}

/** Serializes a value that may not belong to its kind. */
function serializeAny(value: unknown, serialize: (value: unknown) => string): string {
  try {
    return serialize(value)
  } catch {
    return serializeText(value)
  }
}

/** A value that only the version depends on need not belong to its kind: a fieldset without it must not fail. */
function acceptAll(value: StoredValue): StoredValue {
  return 'column' in value ? { ...value, acceptsAll: true } : value
}

function findPartIndex(layout: RowLayout, value: StoredValue): number {
  const index = findValueIndex(layout, value)
  return index === -1 ? findValueIndex(layout, acceptAll(value)) : index
}

/** Creates the function that returns how the versions of the rows of a layout are computed; null for a layout without them. */
export function createVersions(model: Model): (layout: RowLayout) => GetVersion | null {
  return memoizeByIdentity((layout: RowLayout) =>
    layout.version ? compileVersion(layout, model) : null,
  )
}

/**
 * The version of a resource is a keyed digest of its type, its id and the stored values that the identity may read or write. Without the
 * key, somebody could test guesses of a write-only value.
 */
function compileVersion(layout: RowLayout, model: Model): GetVersion {
  const { type } = layout
  const { sealer } = model
  const parts = listParts(getResourceType(model, type), model).map((part) =>
    part.is === 'value'
      ? { index: findPartIndex(layout, part.value), serialize: part.serialize }
      : { index: findLinkageIndex(layout, part.relationship), serialize: serializeText },
  )
  return (row) => {
    let text = `${type}\n${row[0]}`
    for (const { index, serialize } of parts) {
      const value = row[index]
      text += value === null || value === undefined ? '\n' : `\n${serializeAny(value, serialize)}`
    }
    return sealer.fingerprint('version', text)
  }
}

/** The version of the members of a relationship, as the identity sees them. */
export function computeSetVersion(
  sealer: Sealer,
  { type, id, relationship }: Readonly<{ type: string; id: string; relationship: string }>,
  members: readonly string[],
): string {
  const text = JSON.stringify([type, id, relationship, members.toSorted()])
  return sealer.fingerprint('members', text)
}

function listParts(resource: ResourceType, model: Model): readonly VersionPart[] {
  const { version } = resource
  if (version !== undefined) return [toTextPart(version)]
  const parts: VersionPart[] = []
  const columns = new Set<string>()
  for (const field of resource.fields.values()) {
    if (field.is === 'attribute' && field.column !== undefined) {
      // A text is read as it is. Another value that nobody may read need not belong to its kind.
      const isRead = field.isReadable || field.kind.codec === 'text'
      const { serialize } = field.kind
      parts.push(
        isRead ? { is: 'value', value: toStoredValue(field), serialize } : toTextPart(field.column),
      )
      columns.add(field.column)
    } else if (field.is === 'relationship' && field.link.foreignKey === 'own') {
      if (mayBeHidden(field, model)) parts.push({ is: 'linkage', relationship: field.name })
      else parts.push(...listStoredColumns(field).map(toTextPart))
    }
  }
  for (const field of resource.fields.values())
    if (field.is === 'computed')
      for (const [column] of field.columns) if (!columns.has(column)) parts.push(toTextPart(column))
  return parts
}

/** A column as text, whatever its type. */
function toTextPart(column: string): VersionPart {
  const value = { column, codec: 'text', isText: true } as const
  return { is: 'value', value, serialize: serializeText }
}

function serializeText(value: unknown): string {
  return JSON.stringify(String(value))
}

/** Whether there may be related rows that an identity does not see: then a key counts as far as its linkage shows it. */
function mayBeHidden({ to }: RelationshipField, model: Model): boolean {
  const { scope } = getResourceType(model, to)
  return scope !== undefined || model.access !== undefined || model.session !== undefined
}

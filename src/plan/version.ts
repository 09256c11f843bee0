import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import {
  getResourceType,
  type KeyColumns,
  listStoredColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { Sealer } from '../model/seal.ts'
import { findLinkageIndex, type Row, type RowLayout } from './row-layout.ts'

/** What the version of a resource depends on. */
interface VersionParts {
  readonly columns: KeyColumns
  /** The to-one relationships whose key counts as far as the identity sees what it references. */
  readonly relationships: readonly string[]
}

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
  const { columns, relationships } = findParts(getResourceType(model, layout.type), model)
  const missing = relationships.filter((each) => findLinkageIndex(layout, each) === -1)
  return {
    ...layout,
    values: [...layout.values, { versionOf: columns, codec: 'text' }],
    linkages: [
      ...layout.linkages,
      ...missing.map((relationship) => ({ relationship, many: false, isSilent: true }) as const),
    ],
    version,
  }
}

/** Creates the function that returns how the versions of the rows of a layout are computed; null for a layout without them. */
export function createVersions(model: Model): (layout: RowLayout) => GetVersion | null {
  return memoizeByIdentity((layout: RowLayout) =>
    layout.version ? compileVersion(layout, model) : null,
  )
}

/**
 * The version of a resource is a keyed digest of its type and the stored values, its id among them, that the identity may read or write. Without the
 * key, somebody could test guesses of a write-only value. A version that is one column can be opened, where the database has digested it,
 * so that a statement compares it (`openVersions`).
 */
function compileVersion(layout: RowLayout, model: Model): GetVersion {
  const { type } = layout
  const { sealer } = model
  const resource = getResourceType(model, type)
  const { relationships } = findParts(resource, model)
  const stored = 1 + layout.values.findIndex((value) => 'versionOf' in value)
  const linkages = relationships.map((relationship) => findLinkageIndex(layout, relationship))
  const fingerprint: GetVersion = (row) => {
    let text = `${type}\n${row[stored]}`
    for (const linkage of linkages) text += JSON.stringify(row[linkage] ?? null)
    return sealer.fingerprint('version', text)
  }
  if (resource.version === undefined) return fingerprint
  const purpose = versionPurpose(type)
  return (row) => {
    const text = String(row[stored])
    return text.length === digestLength ? sealer.sealDigest(purpose, text) : fingerprint(row)
  }
}

/** The characters of a digest of the database. The text of an integer, which another database returns, is shorter. */
const digestLength = 32

const versionPurpose = (type: string): string => `version ${type}`

/**
 * Returns the digests of the stored versions that entity tags of a resource have; none for a type whose versions do not say them.
 * @param tags - without quotation marks; each is a version, or begins with one and a dot
 */
export function openVersions(
  sealer: Sealer,
  { type, version }: ResourceType,
  tags: readonly string[],
): readonly string[] {
  if (version === undefined) return []
  return tags.flatMap((tag) => {
    const [sealed = ''] = tag.split('.', 1)
    return sealer.openDigest(versionPurpose(type), sealed) ?? []
  })
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

function findParts(
  { id, version, fields, unrestricted }: ResourceType,
  model: Model,
): VersionParts {
  if (version !== undefined) return { columns: [version], relationships: [] }
  const columns = new Set<string>()
  const relationships: string[] = []
  for (const field of fields.values()) {
    if (field.is === 'computed') for (const [column] of field.columns) columns.add(column)
    else if (field.is === 'attribute') {
      // What a rule hides from the identity must not change its versions. What nobody reads does, if it can be changed.
      const declared = unrestricted?.fields.get(field.name) ?? field
      const isWriteOnly = declared.is === 'attribute' && !declared.isReadable && !field.isImmutable
      const matters = field.isReadable || isWriteOnly
      if (field.column !== undefined && matters) columns.add(field.column)
    } else if (field.link.foreignKey === 'own') {
      if (mayBeHidden(field, model)) relationships.push(field.name)
      else for (const column of listStoredColumns(field)) columns.add(column)
    }
  }
  const [first, ...others] = id.columns
  return { columns: [first, ...others, ...columns], relationships }
}

/** Whether there may be related rows that an identity does not see: then a key counts as far as its linkage shows it. */
function mayBeHidden({ to }: RelationshipField, model: Model): boolean {
  const { scope } = getResourceType(model, to)
  return scope !== undefined || model.access !== undefined || model.session !== undefined
}

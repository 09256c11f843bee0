import type { Catalog, Model } from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'

type ResourceType = Model['types'] extends ReadonlyMap<string, infer Type> ? Type : never
type StoredTable = Catalog['tables'][number]

/** What `lapidary doctor` says about conditional, repeated and joint writes. */
interface DescribedWrites {
  /** A line for each type that declares something about them, and for the operations of the API. */
  readonly lines: readonly string[]
  /** What makes them unsafe or slow, with the SQL that mends it. */
  readonly warnings: readonly string[]
}

/** Describes what declares that writes need conditions and keys, and how operations of one request are executed. */
export function describeWrites(model: Model, catalog: Catalog): DescribedWrites {
  const types = [...model.types.values()].filter(({ isWritable }) => isWritable)
  const declared = types.flatMap(describeType)
  const operations = model.atomic ? [describeOperations(model, types, catalog)] : []
  const keys = findKeyTable(catalog)
  const usesKeys = declared.length + operations.length > 0
  return {
    lines: [
      ...declared,
      ...operations,
      ...(usesKeys && keys === undefined
        ? [
            'Idempotency-Key: refused, because the database has no table of keys; the command lapidary idempotency sql prints it',
          ]
        : []),
    ],
    warnings: [
      ...types.flatMap((type) => findUncounted(type, catalog)),
      ...(keys && !keys.indexes?.some(([first]) => first === 'created_at')
        ? [
            `no index begins with the column "created_at" of "${keys.name}", by which expired keys are found; to fix it: create index "${keys.name}_created_at" on "${keys.name}" (created_at)`,
          ]
        : []),
    ],
  }
}

/**
 * Describes what the writes to the resources of a path need.
 * @param url - an address below the path of a type
 * @returns no line for a type that declares nothing about them
 */
export function describeWritesAt(model: Model, url: string, prefix = ''): readonly string[] {
  const below = url.replace(/^https?:\/\/[^/?#]*/, '').slice(prefix.length)
  const [path] = /^\/[^/?#]*/.exec(below) ?? []
  const type = [...model.types.values()].find((each) => each.path === path)
  return type?.isWritable ? describeType(type) : []
}

function describeType({
  type,
  version,
  requiresConditions,
  requiresIdempotencyKey,
}: ResourceType): string[] {
  const parts = [
    ...(version === undefined ? [] : [`the version is the column "${version}"`]),
    ...(requiresConditions ? ['updates and deletions need If-Match'] : []),
    ...(requiresIdempotencyKey ? ['writes need Idempotency-Key'] : []),
  ]
  const source = version === undefined && requiresConditions ? ['the version is the content'] : []
  return parts.length === 0 ? [] : [`${type}: ${[...source, ...parts].join(', ')}`]
}

/** Says which creates in a row are one insert. */
function describeOperations(
  { atomic, access }: Model,
  types: readonly ResourceType[],
  catalog: Catalog,
): string {
  const single = types.filter((type) => access !== undefined || isSingle(type, catalog))
  const joint =
    single.length === types.length
      ? 'creates are one insert each'
      : `creates of one type in a row are one insert${single.length > 0 ? `, except of ${single.map(({ type }) => type).join(', ')}` : ''}`
  return `operations: at most ${atomic?.maxOperations} in one transaction, a statement or a few for each; ${joint}`
}

/** Whether a hook, a validator, a scope or the database itself sees each new row by itself. */
function isSingle(resource: ResourceType, catalog: Catalog): boolean {
  const { hooks, validate, scope, tenantColumn } = resource
  const { beforeCreate, afterCreate, afterCommit } = hooks
  const stored = findStored(resource, catalog)
  const isPlain = stored !== undefined && commandDatabases[catalog.dialect].isPlain(stored)
  return (
    !isPlain ||
    [beforeCreate, afterCreate, afterCommit, validate, scope, tenantColumn].some(Boolean)
  )
}

/** Warns of a version column that only the engine increments. */
function findUncounted(resource: ResourceType, catalog: Catalog): string[] {
  const { type, version } = resource
  const stored = findStored(resource, catalog)
  if (version === undefined || stored?.is !== 'table' || !stored.columns.has(version)) return []
  if (stored.triggers?.changes.has('update')) return []
  return [
    `${type}.version: no trigger increments "${version}" when another program changes a row of "${stored.name}", so its changes may be overwritten; to fix it: ${writeTrigger(stored, version, catalog)}`,
  ]
}

function writeTrigger(
  { name, schema, primaryKey }: StoredTable,
  version: string,
  { dialect, schema: own }: Catalog,
): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  return commandDatabases[dialect].writeVersionTrigger({
    ...{ column: quote(version), trigger: quote(`${name}_version`) },
    table: schema === own ? quote(name) : `${quote(schema)}.${quote(name)}`,
    keys: primaryKey.map(quote),
  })
}

function findStored({ table }: ResourceType, catalog: Catalog): StoredTable | undefined {
  const schema = table.schema ?? catalog.schema
  return catalog.tables.find((each) => each.name === table.name && each.schema === schema)
}

function findKeyTable({ tables, schema }: Catalog): StoredTable | undefined {
  return tables.find((each) => each.name === 'lapidary_idempotency' && each.schema === schema)
}

import { attribute, createHandler, declare, integer, sql, text, toMany, toOne } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import type { Database } from '../../databases.ts'
import type { Random } from '../random-choices.ts'

// A forest whose members are included by pages: nodes with children (a self-relation), leaves (in a table shared with tags, which they
// are told apart by), and tags (over a join table that may hold a pair twice). Rows have a tenant, and some are secret.

const { resource, defineModel, auth } = declare<{ auth: { isAdmin: boolean } }>()
const mayRead = {
  any: [auth((user) => user.isAdmin), { filter: [{ name: 'secret', op: 'eq', val: 0 }] }],
} as const

/** How the forest is declared: what lists are paged by, and which members are included by default. */
interface Declared {
  readonly by: 'number' | 'cursor'
  readonly include?: Readonly<{ size?: number; maxSize?: number; sort?: string }> | undefined
}

function declareForest({ by, include }: Declared) {
  const shared = { name: attribute(text), rank: attribute(integer), secret: attribute(integer) }
  const options = include && { include }
  const node = resource('node', {
    path: '/nodes',
    table: 'node',
    access: { read: mayRead },
    fields: {
      ...shared,
      parent: toOne('node', { column: 'parent_id' }),
      children: toMany('node', { column: 'parent_id', count: true, ...options }),
      leaves: toMany('leaf', { column: 'node_id', count: true, ...options }),
      tags: toMany('tag', {
        through: { table: 'tagging', from: 'node_id', to: 'tag_id' },
        count: true,
        ...options,
      }),
    },
  })
  const leaf = resource('leaf', {
    path: '/leaves',
    table: 'thing',
    scope: (column) => sql`${column('is_leaf')} = 1`,
    access: { read: mayRead },
    fields: { ...shared, node: toOne('node', { column: 'node_id' }) },
  })
  const tag = resource('tag', {
    path: '/tags',
    table: 'thing',
    scope: (column) => sql`${column('is_leaf')} = 0`,
    access: { read: mayRead },
    fields: {
      ...shared,
      nodes: toMany('node', {
        through: { table: 'tagging', from: 'tag_id', to: 'node_id' },
        ...options,
      }),
    },
  })
  return defineModel([node, leaf, tag], {
    pages: { by },
    maxPageSize: 50,
    secret: 'the secret of the forest',
    tenant: { column: 'tenant', value: auth(() => 1) },
  })
}

/** The types, with their relationships to many, and to one. */
export const types = {
  node: { parent: 'node', children: 'node', leaves: 'leaf', tags: 'tag' },
  leaf: { node: 'node' },
  tag: { nodes: 'node' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, TypeName>>>>

export type TypeName = 'node' | 'leaf' | 'tag'

/** A row as the database stores it. */
export interface ForestRow {
  readonly type: TypeName
  readonly id: number
  readonly name: string | null
  readonly rank: number | null
  readonly secret: number
  readonly tenant: number
  readonly parent: number | null
}

/** The rows of a forest. */
export interface Forest {
  readonly rows: readonly ForestRow[]
  /** Pairs of a node and a tag. */
  readonly taggings: readonly (readonly [node: number, tag: number])[]
}

/** Creates random rows. A few nodes have most of the members. */
function growForest({ pick, below, chance }: Random): Forest {
  const nodes = 6 + below(8)
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  const grow = (type: TypeName, id: number, parents: number): ForestRow => ({
    ...{ type, id },
    name: chance(0.2) ? null : pick(['', 'a', 'B', 'b', 'ä', 'aa', '𝒳', '\uffee', "it's"]),
    rank: chance(0.3) ? null : pick([-1, 0, 1, 2]),
    secret: chance(0.2) ? 1 : 0,
    tenant: chance(0.1) ? 2 : 1,
    parent: type === 'tag' || chance(0.15) ? null : 1 + below(chance(0.5) ? 3 : parents),
  })
  const things = 20 + below(20)
  return {
    rows: [
      ...numbers(nodes).map((id) => grow('node', id, nodes)),
      ...numbers(things).map((id) => grow(chance(0.7) ? 'leaf' : 'tag', id, nodes)),
    ],
    taggings: numbers(30).map(() => [1 + below(nodes), 1 + below(things)] as const),
  }
}

/** A server of a forest. */
export interface ForestServer {
  readonly forest: Forest
  readonly declared: Declared
  get(path: string, isAdmin: boolean): Promise<Readonly<{ status: number; document: Document }>>
  close(): Promise<void>
}

/** A resource object or an identifier, as far as the test reads it. */
export interface ResourceObject {
  readonly type: TypeName
  readonly id: string
  readonly relationships?: Readonly<
    Record<
      string,
      Readonly<{
        data?: readonly ResourceObject[] | ResourceObject | null
        links: Readonly<Record<string, string | null>>
        meta?: unknown
      }>
    >
  >
}

/** A document, as far as the test reads it. */
export interface Document {
  readonly data: readonly ResourceObject[]
  readonly included?: readonly ResourceObject[]
  readonly links: Readonly<Record<string, string | null>>
  readonly errors?: unknown
}

/** Serves a random forest on a new database, the same on each database for the same random numbers. */
export async function serveForest(database: Database, random: Random): Promise<ForestServer> {
  const forest = growForest(random)
  const declared: Declared = {
    by: random.pick(['number', 'cursor']),
    include: random.pick([undefined, undefined, { size: 2, maxSize: 7, sort: '-rank' }]),
  }
  const model = declareForest(declared)
  const open = await database.create()
  await open.second?.execute(writeTables(forest, database, random))
  const store = open.url.startsWith('sqlite:')
    ? openSqlite(model, open.url.slice('sqlite:'.length))
    : await openPostgres(model, open.url, { poolSize: 1 })
  const handle = createHandler({
    model,
    store,
    authenticate: ({ headers }) => ({ isAdmin: headers.get('x-admin') === 'yes' }),
  })
  return {
    forest,
    declared,
    get: async (path, isAdmin) => {
      const headers = { 'x-admin': isAdmin ? 'yes' : 'no' }
      const response = await handle(new Request(new URL(path, 'http://localhost'), { headers }))
      return { status: response.status, document: JSON.parse(await response.text()) }
    },
    close: async () => {
      await store.close()
      await open.remove()
    },
  }
}

function writeTables(
  { rows, taggings }: Forest,
  { columnTypes: { integer: whole, text: string, newId }, dialect }: Database,
  { chance }: Random,
): string {
  const literal = (value: unknown): string =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  const insert = (table: string, names: readonly string[], values: readonly unknown[][]) =>
    `insert into ${table} (${names.join(', ')}) values ${values.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`
  const columns = ['id', 'name', 'rank', 'secret', 'tenant']
  const valuesOf = ({ id, name, rank, secret, tenant }: ForestRow) => [
    ...[id, name, rank, secret, tenant],
  ]
  const common = `id ${newId}, name ${string}, rank ${whole}, secret ${whole}, tenant ${whole}`
  const collation = dialect === 'postgres' ? ' collate "C"' : ''
  const indexes = [
    'node (parent_id)',
    'node (parent_id, rank, id)',
    'thing (node_id)',
    `thing (node_id, name${collation}, id)`,
    'tagging (node_id, tag_id)',
    'tagging (tag_id, node_id)',
  ].filter(() => chance(0.5))
  const nodes = rows.filter(({ type }) => type === 'node')
  const things = rows.filter(({ type }) => type !== 'node')
  return [
    `create table node (${common}, parent_id ${whole})`,
    `create table thing (${common}, node_id ${whole}, is_leaf ${whole})`,
    `create table tagging (node_id ${whole}, tag_id ${whole})`,
    ...indexes.map((columns, at) => `create index forest_${at} on ${columns}`),
    insert(
      'node',
      [...columns, 'parent_id'],
      nodes.map((row) => [...valuesOf(row), row.parent]),
    ),
    insert(
      'thing',
      [...columns, 'node_id', 'is_leaf'],
      things.map((row) => [...valuesOf(row), row.parent, row.type === 'leaf' ? 1 : 0]),
    ),
    insert(
      'tagging',
      ['node_id', 'tag_id'],
      taggings.map((pair) => [...pair]),
    ),
  ].join(';\n')
}

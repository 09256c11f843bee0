import { sql } from 'kysely'
import type { Catalog, ColumnOrigin, ViewSources } from '../../model/catalog.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

/** The dependencies of the query of a view, which is its rule `_RETURN`. */
const dependency = sql`pg_depend as d where d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
  and d.refclassid = 'pg_class'::regclass and d.refobjid <> t.oid`

/** The query of each view as a tree, its columns, and all columns of the tables and views that it reads, with whether it names them. */
const sourcesQuery = compileStatement(
  sql`
  select n.nspname, t.relname, r.ev_action::text,
    (select json_agg(json_build_array(c.attnum, c.attname)) from pg_attribute as c
      where c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped),
    (select json_agg(json_build_array(o.oid::text, c.attnum, m.nspname, o.relname, c.attname,
        exists (select 1 from ${dependency} and d.refobjid = o.oid and d.refobjsubid = c.attnum)))
      from pg_class as o join pg_namespace as m on m.oid = o.relnamespace
        join pg_attribute as c on c.attrelid = o.oid and c.attnum > 0 and not c.attisdropped
      where o.oid in (select d.refobjid from ${dependency}))
  from pg_rewrite as r join pg_class as t on t.oid = r.ev_class join pg_namespace as n on n.oid = t.relnamespace
  where r.ev_type = '1' and t.relkind in ('v', 'm')
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`,
  postgresDialect('und-x-icu'),
)

type SourceRow = readonly [
  schema: string,
  view: string,
  tree: string,
  columns: readonly (readonly [number: number, name: string])[] | null,
  read: readonly ReadRow[] | null,
]

type ReadRow = readonly [
  oid: string,
  number: number,
  schema: string,
  table: string,
  column: string,
  isNamed: boolean,
]

/** Adds to the views of a catalog where their columns come from. */
export async function addViewSources(
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<Catalog> {
  const toKey = (schema: unknown, name: unknown) => JSON.stringify([schema, name])
  const rows = await connection.all(sourcesQuery, { planValues: [] })
  // The statement has these five columns.
  const found = (rows as unknown as readonly SourceRow[]).map(
    (row) => [toKey(row[0], row[1]), toSources(row)] as const,
  )
  const sources = new Map(found)
  return {
    ...catalog,
    tables: catalog.tables.map((table) => {
      const own = sources.get(toKey(table.schema, table.name))
      return own ? { ...table, sources: own } : table
    }),
  }
}

function toSources([, , tree, columns, read]: SourceRow): ViewSources {
  const all = read ?? []
  // A whole row in an expression names no column: it reads all of them.
  const readsRows = /:varattno 0 /.test(tree)
  const targets = listTargets(tree)
  return {
    origins: new Map(
      (columns ?? []).flatMap(([number, name]) => {
        const [table, column] = targets.get(number) ?? []
        const origin = all.find((each) => each[0] === table && each[1] === column)
        return origin ? [[name, toOrigin(origin)] as const] : []
      }),
    ),
    reads: all.filter(([, , , , , isNamed]) => isNamed || readsRows).map(toOrigin),
  }
}

function toOrigin([, , schema, table, column]: ReadRow): ColumnOrigin {
  return { schema, table, column }
}

/**
 * Lists the columns that a query returns, by their numbers, each with the table and the number of the column that it is; the table is 0
 * for an expression (`resorigtbl` of `TargetEntry`, primnodes.h). A node is in braces, and a backslash quotes one that is text.
 */
function listTargets(tree: string): ReadonlyMap<number, readonly [table: string, column: number]> {
  const targets = new Map<number, readonly [string, number]>()
  let depth = 0
  let own = ''
  for (const [part] of tree.matchAll(/\\.|[{}]|[^\\{}]+/gs)) {
    if (part === '{') depth += 1
    if (part === '{' && depth === 2) own = ''
    if (depth === 2 && part !== '{' && part !== '}') own += part
    if (part === '}' && depth === 2) {
      const target =
        /^TARGETENTRY .*:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s.exec(
          own,
        )
      if (target) targets.set(Number(target[1]), [target[2] ?? '', Number(target[3])])
    }
    if (part === '}') depth -= 1
  }
  return targets
}

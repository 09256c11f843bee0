import { sql } from 'kysely'
import type { Catalog, ForeignKey, StoredColumn, StoredTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { type Statement, statement } from '../statement.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { postgresDialect } from './postgres-sql.ts'
import { listedValues } from './postgres-values.ts'

const reading = (expression: Sql): Statement => statement(expression, postgresDialect('und-x-icu'))

/** Tables, views and what else has rows; a partition is part of the table that it belongs to. */
const ours = sql`t.relkind in ('r', 'p', 'v', 'm', 'f') and not t.relispartition
  and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
  and t.relname <> 'lapidary_migration'`

const tablesOfAll = reading(sql`
  select t.oid::text, n.nspname, t.relname, t.relkind in ('v', 'm'), obj_description(t.oid, 'pg_class')
  from pg_class as t join pg_namespace as n on n.oid = t.relnamespace
  where ${ours} order by n.nspname, t.relname`)

/** Every domain with what it and those that it is made from demand, down to the type that is none. */
const domains = sql`
  recursive part (domain, made_from, modifier, needed, given, chain) as (
    select oid, typbasetype, typtypmod, typnotnull, typdefault is not null, array[oid]
    from pg_type where typtype = 'd'
    union all
    select p.domain, y.typbasetype, greatest(p.modifier, y.typtypmod), p.needed or y.typnotnull,
      p.given or y.typdefault is not null, p.chain || y.oid
    from part as p join pg_type as y on y.oid = p.made_from and y.typtype = 'd'
  )`

/** A domain's columns are told as those of the type that it is made from in the end. */
const columnsOfAll = reading(sql`
  with ${domains}
  select t.oid::text, c.attname,
    case when y.typtype = 'e' then 'enum' when y.typname = 'citext' then 'citext'
      else format_type(y.oid, coalesce(d.modifier, c.atttypmod)) end,
    not (c.attnotnull or coalesce(d.needed, false)),
    c.atthasdef or c.attidentity <> '' or coalesce(d.given, false),
    c.attgenerated = '' and c.attidentity <> 'a',
    col_description(t.oid, c.attnum),
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum as e where e.enumtypid = y.oid),
    (select json_agg(pg_get_expr(k.conbin, k.conrelid) order by k.oid) from pg_constraint as k
      where k.contype = 'c' and (k.conrelid = t.oid and k.conkey = array[c.attnum] or k.contypid = any(d.chain)))
  from pg_attribute as c join pg_class as t on t.oid = c.attrelid join pg_namespace as n on n.oid = t.relnamespace
    left join part as d on d.domain = c.atttypid
      and not exists (select 1 from pg_type as f where f.oid = d.made_from and f.typtype = 'd')
    join pg_type as y on y.oid = coalesce(d.made_from, c.atttypid)
  where c.attnum > 0 and not c.attisdropped and ${ours}
  order by t.oid, c.attnum`)

const keysOfAll = reading(sql`
  select i.indrelid::text, i.indisprimary, json_agg(c.attname order by k.at)
  from pg_index as i join pg_class as t on t.oid = i.indrelid join pg_namespace as n on n.oid = t.relnamespace
    cross join lateral unnest(i.indkey) with ordinality as k (attnum, at)
    join pg_attribute as c on c.attrelid = i.indrelid and c.attnum = k.attnum
  where i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null and k.at <= i.indnkeyatts and ${ours}
  group by i.indexrelid, i.indrelid, i.indisprimary order by i.indexrelid`)

/** A key to a partitioned table has one more for each partition, which says nothing new. */
const foreignKeysOfAll = reading(sql`
  select f.conrelid::text, m.nspname, o.relname,
    json_agg(c.attname order by k.at), json_agg(r.attname order by k.at)
  from pg_constraint as f join pg_class as t on t.oid = f.conrelid join pg_namespace as n on n.oid = t.relnamespace
    join pg_class as o on o.oid = f.confrelid join pg_namespace as m on m.oid = o.relnamespace
    cross join lateral unnest(f.conkey, f.confkey) with ordinality as k (attnum, refnum, at)
    join pg_attribute as c on c.attrelid = f.conrelid and c.attnum = k.attnum
    join pg_attribute as r on r.attrelid = f.confrelid and r.attnum = k.refnum
  where f.contype = 'f' and f.conparentid = 0 and ${ours}
  group by f.oid, f.conrelid, m.nspname, o.relname order by f.oid`)

const presentSchema = reading(sql`select current_schema()`)

/** The tables and views of the database, their columns and keys. */
export async function postgresCatalog(connection: PostgresConnection): Promise<Catalog> {
  const read = async (statement: Statement) =>
    Map.groupBy(await connection.all(statement, { slots: [] }), ([table]) => table)
  const [tables, columns, keys, foreignKeys, [[schema] = []]] = await Promise.all([
    connection.all(tablesOfAll, { slots: [] }),
    read(columnsOfAll),
    read(keysOfAll),
    read(foreignKeysOfAll),
    connection.all(presentSchema, { slots: [] }),
  ])
  return {
    dialect: 'postgres',
    schema: String(schema),
    tables: tables.map(([table, where, name, isView, comment]): StoredTable => {
      const own = keys.get(table) ?? []
      return {
        is: isView === true ? 'view' : 'table',
        name: String(name),
        schema: String(where),
        columns: new Map((columns.get(table) ?? []).map((row) => [String(row[1]), column(row)])),
        primaryKey: own.flatMap(([, isPrimary, names]) =>
          isPrimary === true ? textsOf(names) : [],
        ),
        uniques: own.map(([, , names]) => textsOf(names)),
        foreignKeys: (foreignKeys.get(table) ?? []).map(
          ([, schema, name, columns, references]): ForeignKey => ({
            columns: textsOf(columns),
            to: { schema: String(schema), name: String(name) },
            references: textsOf(references),
          }),
        ),
        ...(comment !== null && { comment: String(comment) }),
      }
    }),
  }
}

function column(row: readonly unknown[]): StoredColumn {
  const [, name, type, nullable, hasDefault, writable, comment, labels, checks] = row
  const [listed] = textsOf(checks).flatMap((check) => {
    const values = listedValues(check, String(name))
    return values === undefined ? [] : [values]
  })
  const values = listed ?? textsOf(labels)
  return {
    name: String(name),
    type: String(type),
    nullable: nullable === true,
    hasDefault: hasDefault === true,
    writable: writable === true,
    ...(values.length > 0 && { values }),
    ...(comment !== null && { comment: String(comment) }),
  }
}

/** The statements gather texts as JSON arrays, and none as null. */
function textsOf(texts: unknown): string[] {
  return (texts ?? []) as string[]
}

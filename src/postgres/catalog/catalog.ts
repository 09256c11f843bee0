import { sql } from 'kysely'
import type {
  Catalog,
  DeleteAction,
  RowChange,
  StoredColumn,
  StoredTable,
} from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import { isLiteral } from '../../sql/filter/is-literal.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { isGenuinePostgres, postgresDialect } from '../dialect.ts'

/** Each domain with its base type, and the constraints and defaults of the domains in between; and the checks of each domain. */
const domains = sql`domain (own, base, modifier, is_never_null, has_default, chain) as (
    select oid, typbasetype, typtypmod, typnotnull, typdefault is not null, array[oid]
    from pg_type where typtype = 'd'
    union all
    select d.own, y.typbasetype, y.typtypmod, d.is_never_null or y.typnotnull, d.has_default, d.chain || y.oid
    from domain as d join pg_type as y on y.oid = d.base where y.typtype = 'd'
  ), domain_check (own, oid, conbin, conrelid) as materialized (
    select d.own, k.oid, k.conbin, k.conrelid from domain as d join pg_type as y on y.oid = d.base and y.typtype <> 'd'
      join pg_constraint as k on k.contypid = any(d.chain) and k.contype = 'c'
  )`

/** The name of a type without a modifier, as codecs know it; null for types that PostgreSQL itself names. */
export const specialName = (type: Sql) =>
  sql`case when ${type}.typtype = 'e' then 'enum' when ${type}.typtype = 'c' then 'composite'
    when ${type}.typname in ('citext', 'hstore') then ${type}.typname::text end`

/** Whether triggers write a view: then `pg_column_is_updatable` requires triggers for updates and deletions, whatever the triggers do. */
const isWrittenByTriggers = sql`pg_relation_is_updatable(t.oid, true) & 12 > pg_relation_is_updatable(t.oid, false) & 12`

/**
 * A column of a domain is described as one of its base type, and so are the elements of an array of a domain. An index finds each row of
 * the catalog: the query runs for every table.
 */
const columnsQuery = sql`
  select json_agg(json_build_array(c.attname,
    coalesce(${specialName(sql.id('b'))}, ${specialName(sql.id('e'))} || '[]',
      case when f.own is not null then format_type(e.oid, f.modifier) || '[]' end,
      format_type(b.oid, case when d.own is null then c.atttypmod else d.modifier end)),
    not (c.attnotnull or coalesce(d.is_never_null, false)),
    c.atthasdef or c.attidentity <> '' or coalesce(d.has_default, false),
    c.attgenerated = '' and c.attidentity <> 'a' and (t.relkind <> 'v' or pg_column_is_updatable(t.oid, c.attnum, true) or ${isWrittenByTriggers}), col_description(t.oid, c.attnum),
    (select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum as l where l.enumtypid in (b.oid, e.oid)),
    (select json_agg(pg_get_expr(k.conbin, k.conrelid) order by k.oid) from (
      select oid, conbin, conrelid from pg_constraint where contype = 'c' and conrelid = t.oid and conkey = array[c.attnum]
      union all select oid, conbin, conrelid from domain_check where own = d.own) as k),
    (select pg_get_expr(a.adbin, a.adrelid) from pg_attrdef as a where a.adrelid = t.oid and a.adnum = c.attnum)
  ) order by c.attnum)
  from pg_attribute as c left join domain as d on d.own = c.atttypid
    join pg_type as b on b.oid = coalesce(d.base, c.atttypid) and b.typtype <> 'd'
    left join pg_type as o on o.oid = b.typelem and o.typarray = b.oid left join domain as f on f.own = o.oid
    left join pg_type as e on e.oid = coalesce(f.base, o.oid)
  where c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped and e.typtype is distinct from 'd'`

/** Selects the names of a table's columns by their numbers, in the order of the numbers. */
const selectNames = (table: Sql, numbers: Sql) => sql`(
    select json_agg(c.attname order by k.at) from unnest(${numbers}) with ordinality as k (number, at)
    join pg_attribute as c on c.attrelid = ${table} and c.attnum = k.number)`

const uniquesQuery = sql`
  select json_agg(json_build_array(i.indisprimary,
    ${selectNames(sql`t.oid`, sql`(i.indkey::int2[])[:i.indnkeyatts - 1]`)}) order by i.indexrelid)
  from pg_index as i
  where i.indrelid = t.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null`

/** The columns of indexes that find rows by equality, except partial indexes; an expression ends a list. */
const indexesQuery = sql`
  select json_agg(${selectNames(sql`t.oid`, sql`(i.indkey::int2[])[:coalesce(array_position(i.indkey::int2[], 0::int2), i.indnkeyatts::int) - 1]`)} order by i.indexrelid)
  from pg_index as i join pg_class as x on x.oid = i.indexrelid join pg_am as a on a.oid = x.relam
  where i.indkey[0] <> 0 and i.indrelid = t.oid and i.indisvalid and i.indpred is null and a.amname in ('btree', 'hash')`

/**
 * Keys that reference a partition are omitted: PostgreSQL adds one for each partition of a referenced table. Those with a `period` are, too:
 * their ranges need not be equal. Before version 18 there are none, and no column `conperiod`.
 */
const foreignKeysQuery = sql`
  select json_agg(json_build_array(m.nspname, o.relname, ${selectNames(sql`t.oid`, sql`f.conkey`)},
    ${selectNames(sql`o.oid`, sql`f.confkey`)}, f.convalidated,
    case f.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' end) order by f.oid)
  from pg_constraint as f join pg_class as o on o.oid = f.confrelid
    join pg_namespace as m on m.oid = o.relnamespace
  where f.conrelid = t.oid and f.contype = 'f' and f.conparentid = 0
    and to_jsonb(f) ->> 'conperiod' is distinct from 'true'`

/**
 * The changes that triggers for each row may alter or drop (`pg_trigger.h`: 1 row, 2 before, 4 insert, 8 delete, 16 update,
 * 64 instead), and those that rules replace.
 */
const triggersQuery = sql`
  select json_agg(distinct change) from (
    select unnest(array_remove(array[case when g.tgtype & 4 > 0 then 'insert' end,
      case when g.tgtype & 8 > 0 then 'delete' end, case when g.tgtype & 16 > 0 then 'update' end], null)) as change
    from pg_trigger as g where g.tgrelid = t.oid and not g.tgisinternal and g.tgenabled in ('O', 'A')
      and g.tgtype & 1 > 0 and g.tgtype & 66 > 0
    union all select case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end
    from pg_rewrite as r where r.ev_class = t.oid and r.ev_type in ('2', '3', '4') and r.is_instead
  ) as changes`

/**
 * Whether a default, a generated column or a check calls a function that may read rows: in a statement it does not see those that the
 * statement inserts. The functions of PostgreSQL itself have no dependencies, and those in C read no tables.
 */
const callsFunctions = sql`exists (
  select 1 from (
      select 'pg_attrdef'::regclass, a.oid from pg_attrdef as a where a.adrelid = t.oid
      union all select 'pg_constraint'::regclass, k.oid from pg_constraint as k where k.conrelid = t.oid and k.contype = 'c'
      union all select m.class, m.oid from pg_attribute as c join domain as d on d.own = c.atttypid, lateral (
        select 'pg_type'::regclass, o.oid from unnest(d.chain) as o (oid)
        union all select 'pg_constraint'::regclass, k.oid from domain_check as k where k.own = d.own) as m (class, oid)
        where c.attrelid = t.oid
    ) as s (class, oid)
    join pg_depend as u on u.classid = s.class and u.objid = s.oid and u.refclassid = 'pg_proc'::regclass
    join pg_proc as f on f.oid = u.refobjid join pg_language as l on l.oid = f.prolang
  where l.lanname not in ('internal', 'c'))`

/**
 * Whether nothing but the statement itself decides which rows of a table it changes, and how. Elsewhere than on PostgreSQL itself a
 * statement cannot see whether it is still so: Citus refuses to read the catalog in an update.
 */
const isPlain = sql`t.relkind = 'r' and ${isGenuinePostgres} and not t.relhasrules and not t.relrowsecurity
  and not exists (select 1 from pg_trigger as g where g.tgrelid = t.oid and not g.tgisinternal)
  and not exists (select 1 from pg_inherits as h where h.inhparent = t.oid) and not ${callsFunctions}`

/** The rule that replaces inserts and returns no row, so that PostgreSQL rejects an insert that returns the new id. */
const silentRuleQuery = sql`
  select min(r.rulename) from pg_rewrite as r
  where r.ev_class = t.oid and r.ev_type = '3' and r.is_instead and not exists (select 1 from pg_rewrite as o
    where o.ev_class = t.oid and o.ev_type = '3' and o.is_instead and pg_get_ruledef(o.oid) ~* '\\mreturning\\M')`

/**
 * Whether the rows of a view can be locked, which follows from whether it is updatable without triggers, and the changes that it
 * accepts (`pg_relation_is_updatable`: 4 update, 8 insert, 16 delete).
 */
const viewQuery = sql`
  select json_build_array(pg_relation_is_updatable(t.oid, false) & 4 > 0 and not exists (select 1 from pg_rewrite as r
      where r.ev_class = t.oid and r.ev_type <> '1'),
    array_remove(array[case when bits & 4 > 0 then 'update' end, case when bits & 8 > 0 then 'insert' end,
      case when bits & 16 > 0 then 'delete' end], null)) from pg_relation_is_updatable(t.oid, true) as bits`

/** Whether a view is one by which Citus describes its tables; it has some in the schema `public`. */
const isOfCitus = sql`exists (select 1 from pg_depend as d join pg_extension as e on e.oid = d.refobjid
  where d.classid = 'pg_class'::regclass and d.objid = t.oid and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = 'citus')`

/** One statement, which sees one snapshot. */
const catalogQuery = compileStatement(
  sql`
  with recursive ${domains}
  select current_schema(), (
    select json_agg(json_build_array(n.nspname, t.relname, t.relkind in ('v', 'm'),
      obj_description(t.oid, 'pg_class'), (${columnsQuery}), (${uniquesQuery}), (${foreignKeysQuery}),
      case when t.relkind in ('r', 'p') then coalesce((${indexesQuery}), '[]') end,
      (${triggersQuery}), (${silentRuleQuery}), case when t.relkind in ('v', 'm') then (${viewQuery}) end,
      t.relkind = 'r' and exists (select 1 from pg_inherits as h where h.inhparent = t.oid), (${isPlain})
    ) order by n.nspname, t.relname)
    from pg_class as t join pg_namespace as n on n.oid = t.relnamespace
    where t.relkind in ('r', 'p', 'v', 'm', 'f') and not t.relispartition and t.relname <> 'lapidary_migration'
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%' and not ${isOfCitus}
  )`,
  postgresDialect('und-x-icu'),
)

/** A table in the result of the query; null means an empty list. */
type TableRow = readonly [
  schema: string,
  name: string,
  isView: boolean,
  comment: string | null,
  columns: readonly ColumnRow[] | null,
  uniques: readonly (readonly [isPrimary: boolean, columns: string[]])[] | null,
  foreignKeys:
    | readonly (readonly [
        schema: string,
        name: string,
        columns: string[],
        references: string[],
        isValidated: boolean,
        onDelete: DeleteAction | null,
      ])[]
    | null,
  indexes: readonly (readonly string[])[] | null,
  changes: readonly RowChange[] | null,
  silentRule: string | null,
  view: readonly [canLock: boolean, accepts: readonly RowChange[]] | null,
  hasChildren: boolean,
  isPlain: boolean,
]

type ColumnRow = readonly [
  name: string,
  type: string,
  nullable: boolean,
  hasDefault: boolean,
  writable: boolean,
  comment: string | null,
  labels: string[] | null,
  checks: string[] | null,
  defaultSql: string | null,
]

/** Queries the tables and views of the database, their columns and keys. */
export async function queryPostgresCatalog(connection: PostgresConnection): Promise<Catalog> {
  const [[schema, tables] = []] = await connection.all(catalogQuery, { planValues: [] })
  // The statement aggregates tables as JSON arrays.
  const rows = (tables ?? []) as readonly TableRow[]
  return { dialect: 'postgres', schema: String(schema), tables: rows.map(toTable) }
}

function toTable(row: TableRow): StoredTable {
  const [schema, name, isView, comment, columns, uniques, foreignKeys, indexes] = row
  const [hasChildren, isPlain] = [row[11], row[12]]
  return {
    is: isView ? 'view' : 'table',
    name,
    schema,
    columns: new Map((columns ?? []).map((each) => [each[0], toColumn(each)])),
    primaryKey: uniques?.find(([isPrimary]) => isPrimary)?.[1] ?? [],
    uniques: (uniques ?? []).map(([, names]) => names),
    foreignKeys: (foreignKeys ?? []).map((key) => {
      const [schema, name, columns, references, isValidated, onDelete] = key
      return {
        columns,
        to: { schema, name },
        references,
        ...(!isValidated && { isEnforced: false }),
        ...(onDelete !== null && { onDelete }),
      }
    }),
    ...(indexes !== null && { indexes }),
    ...(hasChildren && { hasChildren }),
    ...(isPlain && { isPlain }),
    ...describeTriggers(row),
    ...(comment !== null && { comment }),
  }
}

/** The tables of a view may have triggers, too, so that all its changes count. */
function describeTriggers(row: TableRow): Pick<StoredTable, 'triggers' | 'accepts'> {
  const [, , , , , , , , changed, rule, view] = row
  const [canLock, accepts] = view ?? [true]
  const changes = accepts ?? changed
  if (changes === null) return {}
  const silentRule = rule ?? undefined
  return {
    triggers: { changes: new Set(changes), silentRule, cannotLock: !canLock },
    ...(accepts && { accepts: new Set(accepts) }),
  }
}

function toColumn(row: ColumnRow): StoredColumn {
  const [name, type, nullable, hasDefault, writable, comment, labels, checks, defaultSql] = row
  const [listed] = (checks ?? []).flatMap((check) => {
    const values = parseListedValues(check, name)
    return values === undefined ? [] : [values]
  })
  const values = listed ?? labels
  return {
    ...{ name, type, nullable, hasDefault, writable },
    ...(isLiteral(defaultSql) && { hasLiteralDefault: true }),
    ...(values !== null && { values }),
    ...(comment !== null && { comment }),
  }
}

/** Matches texts, which are kept, and casts and brackets, which are removed. */
const castsAndBrackets =
  /('(?:[^']|'')*')|::(?:"(?:[^"]|"")*"|\w+(?: varying)?)(?:\."(?:[^"]|"")*"|\.\w+)?(?:\(\d+\))?(?:\[\])?|[()]/g

/** What remains of `in ('a', 'b')` and of `= 'a'` behind the name of the column. */
const listPattern = /^ = (?:ANY ARRAY\[(.*)\]|('(?:[^']|'')*'))$/s
const texts = /'(?:[^']|'')*'/g

/**
 * Parses the values of a check constraint that lists them, like an enumeration.
 * @param check - the condition from `pg_get_expr`, e.g. `((state)::text = ANY ((ARRAY['open'::text])::text[]))`
 * @param column - the only column of the constraint; in the condition of a domain it is called `VALUE`
 * @returns `undefined` for any other condition
 */
function parseListedValues(check: string, column: string): string[] | undefined {
  const bare = check.replace(castsAndBrackets, (_, text = '') => text)
  for (const name of ['VALUE', column, quoteIdentifier(column)]) {
    const isNull = `${name} IS NULL OR `
    const rest = bare.startsWith(isNull) ? bare.slice(isNull.length) : bare
    const [, list, single] =
      (rest.startsWith(name) && listPattern.exec(rest.slice(name.length))) || []
    const all = list ?? single
    // The list must contain only texts.
    if (all === undefined || all.replace(texts, '').replaceAll(', ', '') !== '') continue
    return all.match(texts)?.map((text) => text.slice(1, -1).replaceAll("''", "'"))
  }
  return undefined
}

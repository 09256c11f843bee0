import { sql } from 'kysely'
import type { StoredColumn, StoredFunction, StoredParameter } from '../../model/catalog.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'
import { specialName } from './catalog.ts'

/**
 * The parameters of a function with their modes (`pg_proc.proargmodes`), in order, with the type as a kind knows it and as a cast has it,
 * the labels of an enum type or of the elements of an array, and the SQL of the default.
 */
const parametersQuery = sql`
  select json_agg(json_build_array(a.name, coalesce(${specialName(sql.id('b'))},
    ${specialName(sql.id('e'))} || '[]', format_type(b.oid, null)),
    coalesce(a.mode::text, 'i'), format_type(a.type, null),
    (select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum as l where l.enumtypid in (b.oid, e.oid)),
    pg_get_function_arg_default(p.oid, a.at::int)) order by a.at)
  from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes) with ordinality as a (type, name, mode, at)
    join pg_type as t on t.oid = a.type
    join pg_type as b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    left join pg_type as e on e.typarray = b.oid`

const functionsQuery = compileStatement(
  sql`
  select n.nspname, p.proname, p.prokind::text, p.provolatile::text, p.prosecdef, l.lanname, p.proretset,
    (select json_build_array(m.nspname, c.relname) from pg_type as r join pg_class as c on c.oid = r.typrelid
      join pg_namespace as m on m.oid = c.relnamespace where r.oid = p.prorettype and c.relkind <> 'c'),
    obj_description(p.oid, 'pg_proc'), (${parametersQuery})
  from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace join pg_language as l on l.oid = p.prolang
  where p.prokind in ('f', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    and has_function_privilege(p.oid, 'execute') and has_schema_privilege(n.oid, 'usage')
    and not exists (select 1 from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype in ('e', 'i'))
  order by n.nspname, p.proname, p.oid`,
  postgresDialect('und-x-icu'),
)

type ParameterRow = readonly [
  name: string | null,
  type: string,
  mode: string,
  cast: string,
  labels: readonly string[] | null,
  defaultSql: string | null,
]

const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const

/** Queries the functions and procedures that the role may execute, except those of extensions, of types and of triggers. */
export async function queryStoredFunctions(
  connection: PostgresConnection,
): Promise<readonly StoredFunction[]> {
  const rows = await connection.all(functionsQuery, { planValues: [] })
  return rows.map(toFunction)
}

function toFunction(row: readonly unknown[]): StoredFunction {
  const [schema, name, kind, volatility, isDefiner, language, returnsSet, table] = row
  const [, , , , , , , , comment, parameters] = row
  // The statement aggregates parameters as JSON arrays.
  const all = (parameters ?? []) as readonly ParameterRow[]
  const inputs = all.filter(([, , mode]) => 'ibv'.includes(mode))
  const outputs = all.filter(([, , mode]) => 'obt'.includes(mode))
  const [tableSchema, tableName] = Array.isArray(table) ? table : []
  return {
    is: kind === 'p' ? 'procedure' : 'function',
    schema: String(schema),
    name: String(name),
    // One of the three letters of PostgreSQL.
    volatility: volatilities[String(volatility) as keyof typeof volatilities],
    runsAsOwner: isDefiner === true,
    language: String(language),
    returnsSet: returnsSet === true,
    ...(tableName !== undefined && {
      rowsOf: { schema: String(tableSchema), name: String(tableName) },
    }),
    columns: outputs.map((each) => toColumn(each)),
    parameters: inputs.map(toParameter),
    isVariadic: inputs.some(([, , mode]) => mode === 'v'),
    ...(typeof comment === 'string' && { comment }),
  }
}

function toParameter(row: ParameterRow, index: number): StoredParameter {
  const [, , , castTo, , defaultSql] = row
  return {
    ...toColumn(row, index),
    castTo,
    ...(defaultSql !== null && { hasDefault: true, default: defaultSql }),
  }
}

function toColumn([name, type, , , labels]: ParameterRow, index = 0): StoredColumn {
  return {
    name: name ?? `argument_${index + 1}`,
    type,
    nullable: true,
    hasDefault: false,
    writable: false,
    ...(labels && { values: labels }),
  }
}

import { type Sql, sql } from '../../model/dialect.ts'
import { compileStatement } from '../../sql/statement.ts'
import { specialName } from '../catalog/catalog.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgres } from '../database.ts'

/**
 * Returns the names and the types of the columns of a query, as the catalog describes them. The query is executed with null for its
 * parameters and a limit of 0, so that no function in it runs.
 */
export async function describeColumns(
  query: Sql,
  connection: Pick<PostgresConnection, 'records' | 'allUnprepared'>,
): Promise<readonly Readonly<{ name: string; type: string }>[]> {
  const none = sql`(select) as one left join (select * from (${query}) as q limit 0) as q on true`
  const [row = {}] = await connection.records(
    compileStatement(sql`select q.* from ${none}`, postgres),
  )
  const names = Object.keys(row)
  const types = sql.join(names.map((name) => sql`pg_typeof(q.${sql.id(name)})::oid`))
  const described = await connection.allUnprepared(
    compileStatement(
      sql`select coalesce(${specialName(sql.id('b'))}, ${specialName(sql.id('e'))} || '[]', format_type(b.oid, null))
        from (select array[${types}] as types from ${none}) as typed, unnest(typed.types) with ordinality as u (type, at)
          join pg_type as t on t.oid = u.type
          join pg_type as b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
          left join pg_type as e on e.oid = b.typelem and b.typcategory = 'A'
        order by u.at`,
      postgres,
    ),
  )
  return names.map((name, index) => ({ name, type: String(described[index]?.[0] ?? '') }))
}

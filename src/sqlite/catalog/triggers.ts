import { sql } from 'kysely'
import type { ColumnOrigin, RowChange, TableTriggers } from '../../model/catalog.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { lowerAscii } from './schema-facts.ts'

/** What the triggers of a table or a view do. */
interface SqliteTriggers {
  readonly triggers: TableTriggers | undefined
  /** The changes for which a view has triggers; `undefined` for a table. */
  readonly accepts: ReadonlySet<RowChange> | undefined
}

const name = '(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\]|[^\\s."`[]+)'
/** The start of a trigger's definition, as SQLite stores it (sqlite.org/lang_createtrigger.html). */
const definition = new RegExp(
  `^create\\s+trigger\\s+(?:if\\s+not\\s+exists\\s+)?${name}(?:\\s*\\.\\s*${name})?\\s+(?:(?:before|after|instead\\s+of)\\s+)?(insert|update|delete)\\b(?:\\s+(of)\\b)?`,
  'i',
)
const comments = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** The change that a trigger is for, and whether only changes of some columns run it. */
interface TriggerChange {
  readonly change: RowChange
  readonly isPartial: boolean
}

/** Parses the definition of a trigger; returns none if the text is no such definition. */
function parseTriggerChange(text: string): TriggerChange[] {
  const [, change, of] = definition.exec(text) ?? definition.exec(text.replace(comments, ' ')) ?? []
  if (change === undefined) return []
  // The pattern has no other words.
  return [{ change: change.toLowerCase() as RowChange, isPartial: of !== undefined }]
}

/** Queries the triggers of all tables and views. @returns a function that returns those of one, by its name in any case */
export function querySqliteTriggers(
  connection: SqliteConnection,
): (table: string) => SqliteTriggers {
  const definitions = Map.groupBy(
    connection.introspect("select lower(tbl_name), sql from sqlite_schema where type = 'trigger'"),
    ([table]) => table,
  )
  const tables = new Map(
    connection
      .introspect("select lower(name), type, wr from pragma_table_list where schema = 'main'")
      .map(([table, ...facts]) => [table, facts]),
  )
  return (table) => {
    const key = lowerAscii(table)
    const [type, hasNoRowid] = tables.get(key) ?? []
    const texts = (definitions.get(key) ?? []).map(([, text]) => String(text))
    if (type === 'view') return describeView(connection, table, texts)
    const changes = new Set(texts.flatMap(parseTriggerChange).map(({ change }) => change))
    if (changes.size === 0) return { triggers: undefined, accepts: undefined }
    const newId = hasNoRowid === 0 && changes.has('insert') ? 'by rowid' : undefined
    return { triggers: { changes, newId }, accepts: undefined }
  }
}

function describeView(
  connection: SqliteConnection,
  view: string,
  definitions: readonly string[],
): SqliteTriggers {
  const parsed = definitions.flatMap(parseTriggerChange)
  const changes = new Set(parsed.map(({ change }) => change))
  // SQLite refuses an update of other columns than those of the trigger.
  const complete = parsed.filter(({ isPartial }) => !isPartial)
  const accepts = new Set(complete.map(({ change }) => change))
  const origins = findOrigins(connection, view)
  const newId = 'next integer'
  return { triggers: { changes, newId, makeAllChanges: true, origins }, accepts }
}

/** Finds the columns of tables that a view shows unchanged; none of a view that SQLite cannot read, which the start reports. */
function findOrigins(
  connection: SqliteConnection,
  view: string,
): ReadonlyMap<string, ColumnOrigin> {
  const statement = compileStatement(sql`select * from ${sql.id(view)}`, sqliteDialect)
  try {
    return new Map(
      connection
        .columns(statement)
        .flatMap(({ name, origin }) => (origin ? [[name, origin] as const] : [])),
    )
  } catch {
    return new Map()
  }
}

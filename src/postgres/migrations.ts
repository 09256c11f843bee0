import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import {
  describeFailure,
  type Migration,
  type MigrationMode,
  pendingMigrations,
} from '../sql/migrations.ts'
import { compileStatement, rawParam, type Statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection/connection.ts'
import { postgresDialect } from './dialect.ts'

const compile = (expression: Sql): Statement =>
  compileStatement(expression, postgresDialect('und-x-icu'))

/** An arbitrary number that no other advisory lock is likely to have. */
const lockKey = 7_273_542_618

/** The longest timeout of Node.js, in milliseconds: an index of a large table may take hours. */
const noTimeout = 2 ** 31 - 1

const tableExistsQuery = compile(sql`select to_regclass('lapidary_migration') is not null`)
const versionQuery = compile(sql`select coalesce(max(version), 0)::int from lapidary_migration`)
const versionInsert = compile(sql`insert into lapidary_migration (version) values (${rawParam(0)})`)

/**
 * Runs the pending migrations in an open transaction. Other programs that migrate at the same time wait.
 * @throws Error as `Store.migrate`
 */
export async function migratePostgres(
  connection: PostgresConnection,
  migrations: readonly Migration[],
  mode: MigrationMode,
): Promise<void> {
  if (mode === 'run') {
    await connection.execute('set local statement_timeout = 0')
    await connection.execute(`select pg_advisory_xact_lock(${lockKey})`, noTimeout)
  }
  const queryValue = async (query: Statement) =>
    (await connection.all(query, { planValues: [] }))[0]?.[0]
  const hasTable = (await queryValue(tableExistsQuery)) === true
  const current = hasTable ? Number(await queryValue(versionQuery)) : 0
  const pending = pendingMigrations(migrations, current, mode)
  if (!hasTable && mode === 'run')
    await connection.execute('create table lapidary_migration (version bigint primary key)')
  for (const migration of pending) {
    for (const command of splitCommands(migration.sql))
      await connection.execute(command, noTimeout).catch((error) => {
        throw describeFailure(migration, error)
      })
    await connection.run(versionInsert, { planValues: [migration.version] })
  }
}

// A program of SQL as its commands. PostgreSQL takes a whole program in one message, but Citus creates the tables of a tenant's
// schema from the text of the message, which may then have one command only. The rules are those of `psql`: a semicolon ends a
// command unless it is quoted, in a comment, in parentheses (the actions of a rule) or in the body of a function in SQL.

/** What may contain a semicolon that ends no command, and what encloses some. A nested comment is found by `findCommentEnd`. */
const tokens = new RegExp(
  [
    /[eE]'(?:[^'\\]|''|\\.)*'/,
    /'(?:[^']|'')*'/,
    /"(?:[^"]|"")*"/,
    /(?<word>[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /\$(?<tag>(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$.*?\$\k<tag>\$/,
    /--[^\n\r]*/,
    /\/\*/,
    /./,
  ]
    .map(({ source }) => source)
    .join('|'),
  'isy',
)

const startsFunction = /^create(?: or replace)? (?:function|procedure)$/

/** Splits a program into its commands, without the semicolons; blank ones are left out. */
export function splitCommands(program: string): string[] {
  const commands: string[] = []
  let start = 0
  let state = newCommand()
  for (let at = 0; at < program.length; ) {
    tokens.lastIndex = at
    const match = tokens.exec(program)
    const token = match?.[0] ?? ''
    const end = token === '/*' ? findCommentEnd(program, at) : at + token.length
    if (token === ';' && state.parentheses === 0 && state.blocks === 0) {
      commands.push(program.slice(start, at))
      start = end
      state = newCommand()
    } else if (match?.groups?.word !== undefined) followWord(state, token.toLowerCase())
    else if (token === '(') state.parentheses += 1
    else if (token === ')') state.parentheses = Math.max(0, state.parentheses - 1)
    at = end
  }
  return [...commands, program.slice(start)].filter((command) => /\S/.test(command))
}

/** What encloses the present position of a command. */
interface CommandState {
  parentheses: number
  /** The open `begin` and `case` in the body of a function. */
  blocks: number
  /** The first words: as many as say that it creates a function. */
  words: string[]
}

function newCommand(): CommandState {
  return { parentheses: 0, blocks: 0, words: [] }
}

function followWord(state: CommandState, word: string): void {
  const { words } = state
  const isFunction = [2, 4].some((count) => startsFunction.test(words.slice(0, count).join(' ')))
  if (words.length < 4) words.push(word)
  if (!isFunction) return
  if (word === 'begin' || (word === 'case' && state.blocks > 0)) state.blocks += 1
  else if (word === 'end' && state.blocks > 0) state.blocks -= 1
}

/** Returns the position after a comment, in which others may be nested; the end of the program if it is not closed. */
function findCommentEnd(program: string, start: number): number {
  let depth = 0
  const edges = /\/\*|\*\//g
  edges.lastIndex = start
  for (let edge = edges.exec(program); edge; edge = edges.exec(program)) {
    depth += edge[0] === '/*' ? 1 : -1
    if (depth === 0) return edges.lastIndex
  }
  return program.length
}

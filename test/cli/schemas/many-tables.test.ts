import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { defineModel } from 'lapidary'
import { readPostgresCatalog } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { Client } from 'pg'
import { evaluateDeclarations } from '../../../cli/introspect/evaluate-declarations.ts'
import { readDeclarations } from '../../../cli/introspect.ts'
import { isObject } from '../../../src/model/kinds/json.ts'
import { Cleanup } from '../../cleanup.ts'
import { everyDatabase } from '../../databases.ts'
import { execute } from '../../filled.ts'
import { long } from '../../long-tests.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Writes the definitions of so many tables, each with a foreign key to the one before it. */
function createTables(count: number): string {
  const create = (_: unknown, at: number) =>
    `create table thing${at} (id integer primary key, name text, up_id integer references thing${Math.max(0, at - 1)} (id));`
  return Array.from({ length: count }, create).join('\n')
}

/** Reads, declares and verifies a file of so many tables, as `lapidary serve` does. @returns the CPU time in milliseconds */
async function measureSqlite(count: number): Promise<number> {
  const path = join(temporaryFolder(), 'many.db')
  const database = new DatabaseSync(path)
  database.exec(`begin; ${createTables(count)} commit;`)
  database.close()
  const start = process.cpuUsage()
  const declarations = await readDeclarations(`sqlite:${path}`, { readOnly: true })
  const store = openSqlite(defineModel(evaluateDeclarations(declarations)), path)
  await store.verify()
  const { user, system } = process.cpuUsage(start)
  await store.close()
  return (user + system) / 1000
}

/** Counts the rows that the nodes of a plan visit, as `explain (analyze, format json)` reports them. */
function countVisits(plan: unknown): number {
  if (Array.isArray(plan)) return plan.reduce((sum: number, each) => sum + countVisits(each), 0)
  if (!isObject(plan)) return 0
  const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 0, Plan, Plans } = plan
  const removed = Object.entries(plan).filter(([name]) => name.startsWith('Rows Removed'))
  const visited = removed.reduce((sum, [, count]) => sum + Number(count), Number(rows))
  return visited * Number(loops) + countVisits(Plan) + countVisits(Plans)
}

/** Counts the rows of its own catalog that PostgreSQL visits to describe so many tables. */
async function countPostgresVisits(count: number): Promise<number> {
  const cleanup = new Cleanup()
  const statements: string[] = []
  const listen = (message: unknown) => statements.push(String(Object(message).sql))
  try {
    const postgres = everyDatabase.find(({ dialect }) => dialect === 'postgres')
    assert.ok(postgres)
    const { url, remove } = await postgres.create()
    cleanup.after(remove)
    await execute(url, `${createTables(count)} analyze;`)
    subscribe('lapidary:statement', listen)
    cleanup.after(() => void unsubscribe('lapidary:statement', listen))
    assert.equal((await readPostgresCatalog(url)).tables.length, count)
    const query = statements.find((sql) => sql.includes('pg_attribute'))
    const client = new Client(url)
    await client.connect()
    cleanup.after(() => client.end())
    const { rows } = await client.query(`explain (analyze, format json) ${query}`)
    return countVisits(rows[0]['QUERY PLAN'])
  } finally {
    await cleanup.run()
  }
}

describe('A database of many tables', () => {
  it('given four times as many on SQLite, when a server is prepared, then it takes about four times the CPU time', {
    ...long,
  }, async () => {
    await measureSqlite(30)
    const few = await measureSqlite(300)
    const many = await measureSqlite(1200)
    assert.ok(many < 5 * few, `${many} ms instead of ${few} ms`)
  })

  it('given eight times as many on PostgreSQL, when its catalog is read, then it visits about eight times the rows', {
    skip: !everyDatabase.some(({ dialect }) => dialect === 'postgres'),
  }, async () => {
    const few = await countPostgresVisits(40)
    const many = await countPostgresVisits(320)
    assert.ok(many < 10 * few, `${many} rows instead of ${few}`)
  })
})

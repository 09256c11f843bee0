import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import { CostModel } from '../../src/store/sqlite/cost-model.ts'
import { maxInProcessDuration } from '../../src/store/sqlite/read-cost.ts'

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text), title: attribute(text) },
})
const person = resource('person', { path: '/persons', table: 'person', fields: {} })
const model = defineModel([note, person])

/** A read of the rows whose column has a text. The cost depends on nothing else of a read, so the types are not those of a whole one. */
function readOf(type: string, condition: string) {
  const rows = { sql: `select 1 from "${type}" as "t0" where ${condition}`, placeholders: [] }
  const statements = { owned: [], linkages: [], includedLinkages: new Map() }
  return {
    fullRead: { read: { firstBatch: rows, count: rows }, ...statements, cost: undefined } as never,
    shape: { addressed: { is: 'all' }, where: {}, type, isPaged: false } as never,
    plan: { page: undefined } as never,
  }
}

it('given a slow search in a type, then every search in it runs in a reader process, and no other read', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const path = join(folder, 'notes.db')
  const database = new DatabaseSync(path)
  database.exec(`create table note (id integer primary key, text text, title text);
    create table person (id integer primary key, name text)`)
  database.close()
  const connection = new SqliteConnection(path, 'reader', { limitsValues: true })
  test.after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  const costs = new CostModel(connection)
  const costOf = ({ fullRead, shape }: ReturnType<typeof readOf>) =>
    costs.ofFullRead(fullRead, shape, { model } as never)
  const isExpensive = (read: ReturnType<typeof readOf>) =>
    costs.estimate(costOf(read), read.plan, performance.now()) > maxInProcessDuration

  const slow = readOf('note', `instr(t0.text, ?)`)
  const reads = [
    slow,
    readOf('note', `instr(t0.title, ?)`),
    readOf('note', `t0.title = ?`),
    readOf('person', `instr(t0.name, ?)`),
  ]
  assert.deepEqual(reads.map(isExpensive), [false, false, false, false])
  const longAgo = performance.now() - 1000
  costs.recordDuration(costOf(slow), longAgo, undefined)
  assert.ok(costOf(reads[1] ?? slow).observed.isSuspect)
  // Since it began, the thread has used more CPU time than a slow read does.
  costs.recordDuration(costOf(slow), longAgo, { user: 0, system: 0 })
  assert.deepEqual(reads.map(isExpensive), [true, true, false, false])
})

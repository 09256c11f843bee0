import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, it } from 'node:test'
import {
  attribute,
  DeclarationError,
  defineModel,
  expression,
  integer,
  resource,
  type Sql,
  sql,
  text,
} from 'lapidary'

type Write = (column: (name: string) => Sql) => Sql

const storage = new AsyncLocalStorage<{ readonly user: number }>()
let calls = 0
const count = () => {
  calls += 1
  return calls
}

const remedy =
  'its SQL is written once and serves the requests of all users; for rows by user use the option access, and for a value of the user auth(…)'
const readsStorage = `must not read AsyncLocalStorage: ${remedy}`
const changes = `must return the same SQL and values at every call, without the time or a random value: ${remedy}`

// biome-ignore format: a table, one function a row
const changing: readonly (readonly [what: string, write: Write, error: string])[] = [
  ['the store of a request', (column) => sql`${column('user_id')} = ${storage.getStore()?.user}`, readsStorage],
  ['the store of a request in a condition', (column) => (storage.getStore() ? sql`true` : sql`${column('user_id')} = 0`), readsStorage],
  ['the time', (column) => sql`${column('until')} > ${Date.now()}`, changes],
  ['a date with its time', (column) => sql`${column('until')} > ${new Date().toISOString()}`, changes],
  ['the date of today', (column) => sql`${column('until')} > ${new Date().toISOString().slice(0, 10)}`, changes],
  ['the year', (column) => sql`${column('year')} = ${new Date().getFullYear()}`, changes],
  ['the text of the time', (column) => sql`${column('until')} > ${Date().slice(0, 15)}`, changes],
  ['the time since the start', (column) => sql`${column('since')} > ${performance.now()}`, changes],
  ['a random value', (column) => sql`${column('share')} > ${Math.random()}`, changes],
  ['a random name', () => sql`${sql.id(`a${crypto.randomUUID()}`)}`, changes],
  ['a counter', () => sql`${count()} > 0`, changes],
  ['another large integer at every call', () => sql`${BigInt(count()) + 2n ** 60n} > 0`, changes],
]

function declare(options: Readonly<{ scope?: Write; total?: Write }>): void {
  const { scope, total } = options
  defineModel([
    resource('note', {
      path: '/notes',
      table: 'note',
      ...(scope && { scope }),
      fields: { words: attribute(text), ...(total && { total: expression(integer, total) }) },
    }),
  ])
}

function assertRejected(options: Parameters<typeof declare>[0], line: string): void {
  assert.throws(
    () => declare(options),
    (error) => {
      assert.ok(error instanceof DeclarationError)
      assert.deepEqual(error.errors, [line])
      return true
    },
  )
}

describe('SQL of a declaration that changes', () => {
  for (const [what, write, error] of changing) {
    it(`given a scope or an expression that reads ${what}, when the model is defined, then the error names it`, () => {
      assertRejected({ scope: write }, `note.scope: ${error}`)
      assertRejected({ total: write }, `note.fields.total.expression: ${error}`)
      storage.run({ user: 1 }, () => assertRejected({ scope: write }, `note.scope: ${error}`))
    })
  }

  it('given SQL that is always the same, when the model is defined, then there is no error', () => {
    const constants = [5, 2n ** 60n, 'text', null, true]
    for (const value of constants)
      declare({ scope: (column) => sql`${column('a')} = ${value}`, total: () => sql`${value}` })
    declare({ scope: () => sql`created < current_timestamp and random() > 0` })
  })

  it('given a date that is always the same, when the model is defined, then there is no error', () => {
    declare({ scope: (column) => sql`${column('until')} > ${new Date(2020, 1, 29).toISOString()}` })
    declare({ total: () => sql`${new Date('2020-02-29') instanceof Date}` })
    declare({ total: () => sql`${Date.UTC(2020)}` })
  })

  it('given a checked scope, when the model is defined, then Date works as before', () => {
    const before = Date
    assertRejected({ scope: () => sql`${Date.now()}` }, `note.scope: ${changes}`)
    assert.equal(Date, before)
    const present = new Date().getFullYear()
    const failLater = () => {
      if (new Date().getFullYear() !== present) throw new Error('no SQL')
      return sql`true`
    }
    assert.throws(() => declare({ scope: failLater }), DeclarationError)
    assert.equal(Date, before)
  })

  it('given a checked scope, when the model is defined, then AsyncLocalStorage works as before', () => {
    const { getStore } = AsyncLocalStorage.prototype
    assertRejected({ scope: () => sql`${storage.getStore()?.user}` }, `note.scope: ${readsStorage}`)
    assert.equal(AsyncLocalStorage.prototype.getStore, getStore)
    assert.equal(
      storage.run({ user: 7 }, () => storage.getStore()?.user),
      7,
    )
  })
})

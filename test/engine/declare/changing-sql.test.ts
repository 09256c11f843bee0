import assert from 'node:assert/strict'
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

let calls = 0
const count = () => {
  calls += 1
  return calls
}

const error =
  'must return the same SQL and values at every call, without the time, a random value or the store of an AsyncLocalStorage: its SQL is written once and serves the requests of all users; for rows by user use the option access, and for a value of the user auth(…)'

// biome-ignore format: a table, one function a row
const changing: readonly (readonly [what: string, write: Write])[] = [
  ['the time since the start', (column) => sql`${column('since')} > ${performance.now()}`],
  ['a random value', (column) => sql`${column('share')} > ${Math.random()}`],
  ['a random name', () => sql`${sql.id(`a${crypto.randomUUID()}`)}`],
  ['a counter', () => sql`${count()} > 0`],
  ['another large integer at every call', () => sql`${BigInt(count()) + 2n ** 60n} > 0`],
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
  for (const [what, write] of changing) {
    it(`given a scope or an expression that reads ${what}, when the model is defined, then the error names it`, () => {
      assertRejected({ scope: write }, `note.scope: ${error}`)
      assertRejected({ total: write }, `note.fields.total.expression: ${error}`)
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
})

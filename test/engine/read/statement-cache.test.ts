import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PreparedStatements } from '../../../src/postgres/connection/prepared.ts'
import { StatementCache, statementSize } from '../../../src/sql/statement-cache.ts'

/** Memoizes a compiler whose results take 1,000 bytes, and records the compiled shapes. */
function createCompilerSpy(cache: StatementCache) {
  const compiled: string[] = []
  const get = cache.memoize(
    (shape: Readonly<{ name: string }>) => {
      compiled.push(shape.name)
      return { sql: shape.name }
    },
    () => 1000,
  )
  return { compiled, get }
}

const shapes = Array.from({ length: 20 }, (_, number) => ({ name: `shape ${number}` }))

it('given a statement cache with room, then each shape is compiled once', () => {
  const { compiled, get } = createCompilerSpy(new StatementCache(20_000))
  for (let round = 0; round < 3; round += 1)
    for (const shape of shapes) assert.equal(get(shape).sql, shape.name)
  assert.equal(compiled.length, shapes.length)
})

it('given a full statement cache, then it stays within its bytes and evicts the least recently used shape', () => {
  const cache = new StatementCache(5000)
  const { compiled, get } = createCompilerSpy(cache)
  const [first = { name: '' }] = shapes
  for (const shape of shapes) {
    get(first)
    get(shape)
    assert.ok(cache.size <= 5000, String(cache.size))
  }
  assert.equal(compiled.length, shapes.length, 'the shape in use was not evicted')
  get(shapes[1] ?? first)
  assert.equal(compiled.length, shapes.length + 1, 'an unused shape was evicted')
})

it('given two compilers with one statement cache, then both share its bytes', () => {
  const cache = new StatementCache(5000)
  const [one, other] = [createCompilerSpy(cache), createCompilerSpy(cache)]
  for (const shape of shapes) {
    one.get(shape)
    other.get(shape)
  }
  assert.equal(cache.size, 5000)
})

it('given a value larger than the statement cache, then it is compiled each time', () => {
  const { compiled, get } = createCompilerSpy(new StatementCache(500))
  const [first = { name: '' }] = shapes
  get(first)
  get(first)
  assert.equal(compiled.length, 2)
})

it('given statements, then the estimated size grows with the text and the placeholders', () => {
  const placeholder = { source: 0, bind: () => null } as const
  const small = statementSize({ sql: 'select 1', placeholders: [] })
  const long = statementSize({ sql: 'x'.repeat(10_000), placeholders: [] })
  const many = statementSize({ sql: '', placeholders: Array(100).fill(placeholder) })
  assert.ok(small < 2000 && long > 10_000 && many > 5000, `${small} ${long} ${many}`)
})

it('given prepared statements beyond the limit of characters, then the least recently used are closed', () => {
  const statements = new PreparedStatements(64 * 1000)
  const statementOf = (name: string) => ({ sql: name.padEnd(400), placeholders: [] })
  const [first, second, third, long] = [
    statementOf('1'),
    statementOf('2'),
    statementOf('3'),
    { ...statementOf(''), sql: 'x'.repeat(1001) },
  ]
  assert.deepEqual(statements.add(first)?.closing, [])
  assert.deepEqual(statements.add(second)?.closing, [])
  assert.deepEqual(statements.add(third)?.closing, ['lapidary_0'])
  assert.deepEqual(
    [first, second, third].map((each) => statements.has(each)),
    [false, true, true],
  )
  assert.equal(statements.add(long), undefined)
  assert.equal(statements.has(third), true)
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PreparedStatements } from '../../src/store/postgres/prepared.ts'
import { StatementCache, statementSize } from '../../src/store/statement-cache.ts'

/** Counts how often a shape is compiled, to something of a thousand bytes. */
function counting(cache: StatementCache) {
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

it('a statement cache compiles a shape once as long as there is room', () => {
  const { compiled, get } = counting(new StatementCache(20_000))
  for (let round = 0; round < 3; round += 1)
    for (const shape of shapes) assert.equal(get(shape).sql, shape.name)
  assert.equal(compiled.length, shapes.length)
})

it('a statement cache never keeps more bytes than it may; the least recently used goes first', () => {
  const cache = new StatementCache(5000)
  const { compiled, get } = counting(cache)
  const [first = { name: '' }] = shapes
  for (const shape of shapes) {
    get(first)
    get(shape)
    assert.ok(cache.size <= 5000, String(cache.size))
  }
  assert.equal(compiled.length, shapes.length, 'the one that was always in use stayed')
  get(shapes[1] ?? first)
  assert.equal(compiled.length, shapes.length + 1, 'one that was not went')
})

it('one budget bounds everything that is compiled through the same statement cache', () => {
  const cache = new StatementCache(5000)
  const [one, other] = [counting(cache), counting(cache)]
  for (const shape of shapes) {
    one.get(shape)
    other.get(shape)
  }
  assert.equal(cache.size, 5000)
})

it('what is larger than a statement cache is compiled each time', () => {
  const { compiled, get } = counting(new StatementCache(500))
  const [first = { name: '' }] = shapes
  get(first)
  get(first)
  assert.equal(compiled.length, 2)
})

it('the size of a statement grows with its text and its placeholders', () => {
  const placeholder = { source: 0, bind: () => null } as const
  const small = statementSize({ sql: 'select 1', placeholders: [] })
  const long = statementSize({ sql: 'x'.repeat(10_000), placeholders: [] })
  const many = statementSize({ sql: '', placeholders: Array(100).fill(placeholder) })
  assert.ok(small < 2000 && long > 10_000 && many > 5000, `${small} ${long} ${many}`)
})

it('what a connection keeps prepared is bounded by length, and the names of what goes are closed', () => {
  const kept = new PreparedStatements(64 * 1000)
  const of = (name: string) => ({ sql: name.padEnd(400), placeholders: [] })
  const [first, second, third, long] = [
    of('1'),
    of('2'),
    of('3'),
    { ...of(''), sql: 'x'.repeat(1001) },
  ]
  assert.deepEqual(kept.add(first)?.closing, [])
  assert.deepEqual(kept.add(second)?.closing, [])
  assert.deepEqual(kept.add(third)?.closing, ['lapidary_0'])
  assert.deepEqual(
    [first, second, third].map((each) => kept.has(each)),
    [false, true, true],
  )
  assert.equal(kept.add(long), undefined)
  assert.equal(kept.has(third), true)
})

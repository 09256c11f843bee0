import assert from 'node:assert/strict'
import { it } from 'node:test'
import { partOf } from '../../long-tests.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { directionsOf, linkVariants } from '../links.ts'
import { linkedTo, type Many, type Pair, reached } from '../pairs.ts'

/** More rows than are held at once: such lists are streamed where the database can do that. */
const many = 510
const numbers = Array.from({ length: many }, (_, at) => at + 1)

/** Links between many rows, a few of which have none. */
function pairsOf([isNearMany, isFarMany]: Many): Pair[] {
  return numbers.flatMap((n): Pair[] => {
    if (n % 7 === 0) return []
    if (isNearMany) return [[n, (n % many) + 1], [n, 1 + (n % 40)]] // biome-ignore format: pairs
    return [[n, isFarMany ? 1 + (n % 100) : (n % many) + 1]]
  })
}

/**
 * The most statements for what is included over so many edges. Each relationship whose linkage a set of rows shows is a
 * statement, at most two here, and so is an include edge.
 */
function mostIncludedStatements(edges: number): number {
  return 2 + 3 * edges
}

/** The most statements of a stream, which begins with an attempt to do without. */
function mostStatements(edges: number): number {
  return 2 + mostIncludedStatements(edges) + 2 + edges
}

for (const [index, variant] of linkVariants.entries()) {
  const pairs = pairsOf([variant.near.many, variant.far.many])
  const unique = [...new Map(pairs.map((pair) => [String(pair), pair])).values()]
  const tables = variant.tables(many, unique)
  engine(
    `Long lists over ${variant.sentence}`,
    { model: variant.model, tables, ...partOf(index, 9) },
    (app) => {
      it('a list without pages is complete with its included resources, with one statement for each include edge', async () => {
        for (const { from, to, orient } of directionsOf(variant)) {
          const path = to.isDeclared ? [from.field, to.field, from.field] : [from.field]
          const query = { include: path.join('.'), 'page[size]': '0' }
          let complete: TestResponse | undefined
          const run = await statementsOf(async () => {
            complete = await app.get(from.path, query)
          })
          assert.ok(complete)
          assert.equal(complete.status, 200)
          assert.ok(run.length > 0 && run.length <= mostStatements(path.length), run.join('\n'))
          assert.equal(complete.body.meta?.count, many)
          const linked = orient(unique)
          for (const [at, each] of complete.many.entries()) {
            const returned = [each.relationships?.[from.field]?.data ?? []]
              .flat()
              .map(({ id }) => id)
            const expected = linkedTo(linked, at + 1).map(variant.ids.of)
            assert.deepEqual(returned, expected.sort(byId))
          }
          const types = [to.type, from.type, to.type]
          const found = reached(linked, numbers, path.length).flatMap((each, at) =>
            each.map((n) => `${types[at]} ${variant.ids.of(n)}`),
          )
          const primary = new Set(numbers.map((n) => `${from.type} ${variant.ids.of(n)}`))
          const included = (complete.body.included ?? []).map(({ type, id }) => `${type} ${id}`)
          assert.deepEqual(included.sort(), [...new Set(found).difference(primary)].sort())
        }
      })

      it('a filtered list is complete with the included resources that it reaches', async () => {
        for (const { from, to, orient } of directionsOf(variant).filter(() => !variant.isSelf)) {
          const filter = [{ name: 'name', op: 'ne', val: `${from.type[0]}1` }]
          const include = to.isDeclared ? `${from.field}.${to.field}` : from.field
          const part = await app.get(from.path, { filter, include, 'page[size]': '0' })
          assert.equal(part.body.meta?.count, many - 1)
          const [first = [], second = []] = reached(
            orient(unique),
            numbers.slice(1),
            to.isDeclared ? 2 : 1,
          )
          const expected = [
            ...first.map((n) => `${to.type} ${variant.ids.of(n)}`),
            ...second.filter((n) => n === 1).map((n) => `${from.type} ${variant.ids.of(n)}`),
          ]
          const included = (part.body.included ?? []).map(({ type, id }) => `${type} ${id}`)
          assert.deepEqual(included.sort(), expected.sort())
        }
      })

      it('the number of statements depends on the relationships, not on the rows', async () => {
        for (const { from, to } of directionsOf(variant)) {
          const path = to.isDeclared ? [from.field, to.field, from.field] : [from.field]
          const own = `${from.path}/${encodeURIComponent(variant.ids.of(1))}`
          const included = mostIncludedStatements(path.length)
          for (const [target, query, most] of [
            [from.path, { [`fields[${from.type}]`]: from.field }, 3],
            [from.path, { include: path.join('.') }, 2 + included],
            [
              from.path,
              { include: path.join('.'), 'page[size]': '500' },
              mostStatements(path.length),
            ],
            [from.path, { filter: [{ name: from.field, op: 'ne', val: null }] }, 2],
            [own, { include: path.join('.') }, 1 + included],
            [`${own}/${from.field}`, {}, 2],
            [`${own}/relationships/${from.field}`, {}, 2],
          ] as const) {
            const run = await statementsOf(() => app.get(target, query))
            assert.ok(run.length > 0 && run.length <= most, `${target}: ${run.join('\n')}`)
          }
        }
      })

      it('a write of many members takes as many statements as a write of two', async () => {
        for (const { from, to } of directionsOf(variant).filter(({ from }) => from.many)) {
          const path = `${from.path}/${encodeURIComponent(variant.ids.of(5))}/relationships/${from.field}`
          const members = (count: number) =>
            numbers.slice(0, count).map((n) => ({ type: to.type, id: variant.ids.of(n) }))
          for (const method of ['POST', 'DELETE', 'PATCH']) {
            const write = (count: number) =>
              statementsOf(() => app.call(method, path, { body: { data: members(count) } }))
            const [two, all] = [await write(2), await write(many)]
            assert.deepEqual(all, two, method)
            assert.ok(two.length <= 4, two.join('\n'))
          }
          const linked = await app.get(path)
          assert.deepEqual(ids(linked).length, many)
        }
      })
    },
  )

  function byId(one: string, other: string): number {
    return variant.ids.kind === undefined ? Number(one) - Number(other) : one < other ? -1 : 1
  }
}

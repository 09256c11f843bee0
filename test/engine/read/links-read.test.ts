import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../../client.ts'
import { partOf } from '../../long-tests.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'
import { type Direction, directionsOf, type Links, linkVariants } from '../links.ts'
import { linkedTo, reached } from '../pairs.ts'

const rows = [1, 2, 3, 4]

/** The reads of one direction of a variant, with the expected results. */
class Reader {
  readonly app: Engine
  readonly direction: Direction
  readonly variant: Links
  constructor(app: Engine, direction: Direction, variant: Links) {
    this.app = app
    this.direction = direction
    this.variant = variant
  }

  /** The relationship, e.g. `author.books`. */
  get name(): string {
    const { from } = this.direction
    return `${from.type}.${from.field}`
  }
  get pairs() {
    return this.direction.orient(this.variant.pairs)
  }
  ids(numbers: readonly number[]): string[] {
    return numbers.map(this.variant.ids.of)
  }
  /** The expected linkage of a row. */
  linkage(n: number): unknown {
    const { from, to } = this.direction
    const all = this.ids(linkedTo(this.pairs, n)).map((id) => ({ type: to.type, id }))
    return from.many ? all : (all[0] ?? null)
  }
  path(n: number, rest = ''): string {
    return `${this.direction.from.path}/${encodeURIComponent(this.variant.ids.of(n))}${rest}`
  }
  /** The rows found by a query. */
  async found(query: Query): Promise<number[]> {
    const response = await this.app.get(this.direction.from.path, query)
    assert.equal(response.status, 200, response.text)
    return ids(response).map((id) => rows.findIndex((n) => this.variant.ids.of(n) === id) + 1)
  }
}

const included = (response: TestResponse) =>
  (response.body.included ?? []).map(({ type, id }) => [type, id])

for (const [index, variant] of linkVariants.entries()) {
  const tables = variant.tables(4, variant.pairs)
  engine(
    `Reading over ${variant.sentence}`,
    { model: variant.model, tables, ...partOf(index, 7) },
    (app) => {
      const directions = directionsOf(variant).map(
        (direction) => new Reader(app, direction, variant),
      )

      for (const reader of directions)
        it(`${reader.name}: linkage is the same at the relationship URL, in a resource and in lists`, async () => {
          const { from } = reader.direction
          const show = { [`fields[${from.type}]`]: from.field }
          const list = (await app.get(from.path, show)).many
          for (const n of rows) {
            const expected = reader.linkage(n)
            const own = await app.get(reader.path(n, `/relationships/${from.field}`))
            assert.deepEqual(own.body.data, expected, own.text)
            const { one } = await app.get(reader.path(n), show)
            assert.deepEqual(one.relationships?.[from.field]?.data, expected)
            assert.deepEqual(list[n - 1]?.relationships?.[from.field]?.data, expected)
          }
        })

      for (const reader of directions)
        it(`${reader.name}: the related URL returns the related resources`, async () => {
          const { from, to } = reader.direction
          for (const n of rows) {
            const response = await app.get(reader.path(n, `/${from.field}`))
            assert.equal(response.status, 200, response.text)
            const found = [response.body.data ?? []].flat()
            assert.deepEqual(
              found.map(({ type, id }) => [type, id]),
              reader.ids(linkedTo(reader.pairs, n)).map((id) => [to.type, id]),
            )
          }
          const absent = encodeURIComponent(variant.ids.of(9))
          for (const end of [`/${from.field}`, `/relationships/${from.field}`]) {
            const response = await app.get(`${from.path}/${absent}${end}`)
            assert.deepEqual([response.status, response.error.code], [404, 'not_found'])
          }
        })

      for (const reader of directions)
        it(`${reader.name}: related resources are included over one relationship and over three, in lists, in pages and for one resource`, async () => {
          const { from, to } = reader.direction
          const path = [from.field, to.field, from.field].slice(0, to.isDeclared ? 3 : 1)
          for (const length of [1, path.length]) {
            const include = path.slice(0, length).join('.')
            for (const [target, start, query] of [
              [from.path, rows, {}],
              [from.path, rows, { 'page[size]': '0' }],
              [from.path, [2], { 'page[size]': '1', 'page[number]': '2' }],
              ...rows.map((n) => [reader.path(n), [n], {}] as const),
            ] as const) {
              const response = await app.get(target, { include, ...query })
              assert.equal(response.status, 200, response.text)
              const types = Array.from(
                { length: length },
                (_, at) => (at % 2 === 0 ? to : from).type,
              )
              const all = reached(reader.pairs, start, length).flatMap((numbers, at) =>
                reader.ids(numbers).map((id) => JSON.stringify([types[at], id])),
              )
              const primary = reader.ids(start).map((id) => JSON.stringify([from.type, id]))
              const expected = new Set(all).difference(new Set(primary))
              const returned = included(response).map((each) => JSON.stringify(each))
              assert.deepEqual(returned.sort(), [...expected].sort(), `${target} ${include}`)
            }
          }
        })

      for (const reader of directions)
        it(`${reader.name}: the relationship URL includes the resources that its linkage identifies`, async () => {
          const { field } = reader.direction.from
          for (const n of rows) {
            const response = await app.get(reader.path(n, `/relationships/${field}`), {
              include: field,
            })
            const linked = reader.ids(linkedTo(reader.pairs, n))
            if (response.body.data !== null)
              assert.deepEqual(
                included(response).map(([, id]) => id),
                linked,
              )
          }
        })

      for (const reader of directions)
        it(`${reader.name}: filters match resources with a related one, with a matching related one, and without any`, async () => {
          const { from, to } = reader.direction
          const { field } = from
          const op = from.many ? 'any' : 'has'
          const linkedFrom = (test: (others: readonly number[]) => boolean) =>
            rows.filter((n) => test(linkedTo(reader.pairs, n)))
          const some = linkedFrom((others) => others.length > 0)
          const none = linkedFrom((others) => others.length === 0)
          const first = linkedFrom((others) => others.includes(1))
          const letter = to.type[0] ?? ''
          const name = { name: 'name', op: 'eq', val: `${letter}1` }
          for (const [filter, expected] of [
            [{ name: field, op }, some],
            [{ name: field, op, val: null }, some],
            [{ not: { name: field, op } }, none],
            [{ name: field, op: 'eq', val: null }, none],
            [{ name: field, op: 'is_', val: null }, none],
            [{ name: field, op: 'ne', val: null }, some],
            [{ name: field, op: 'isnot', val: null }, some],
            [{ name: field, op, val: name }, first],
            [{ not: { name: field, op, val: name } }, rows.filter((n) => !first.includes(n))],
            [{ name: `${field}__name`, op: 'in_', val: [`${letter}1`, 'x'] }, first],
            [{ name: `${field}__id`, op: 'eq', val: variant.ids.of(1) }, first],
            [{ name: field, op, val: { name: 'name', op: 'eq', val: null } }, []],
          ] as const) {
            assert.deepEqual(
              await reader.found({ filter: [filter] }),
              expected,
              JSON.stringify(filter),
            )
          }
          assert.deepEqual(
            await reader.found({ [`filter[${field}__id]`]: variant.ids.of(1) }),
            first,
          )
          assert.deepEqual(await reader.found({ [`filter[${field}__name]`]: `${letter}1` }), first)
          if (!to.isDeclared) return
          const round = `${field}__${to.field}__${field}__name`
          const around = rows.filter((n) => reached(reader.pairs, [n], 3)[2]?.includes(1))
          assert.deepEqual(await reader.found({ [`filter[${round}]`]: `${letter}1` }), around)
        })

      for (const reader of directions.filter(({ direction }) => !direction.from.many))
        it(`${reader.name}: lists are sorted by fields of a to-one related resource; resources without one come last`, async () => {
          const { field } = reader.direction.from
          const target = (n: number) => linkedTo(reader.pairs, n)[0] ?? 99
          const ascending = rows.toSorted(
            (one, other) => target(one) - target(other) || one - other,
          )
          const descending = rows.toSorted(
            (one, other) => target(other) - target(one) || one - other,
          )
          for (const name of ['name', 'id']) {
            assert.deepEqual(await reader.found({ sort: `${field}.${name}` }), ascending)
            assert.deepEqual(await reader.found({ sort: `-${field}.${name}` }), descending)
          }
        })

      for (const reader of directions.filter(({ direction }) => direction.from.many))
        it(`${reader.name}: related lists take filters, sorts, pages and includes of their own`, async () => {
          const { from, to } = reader.direction
          for (const n of rows) {
            const all = linkedTo(reader.pairs, n)
            const ask = async (query: Query) =>
              ids(await app.get(reader.path(n, `/${from.field}`), query))
            assert.deepEqual(await ask({ sort: '-name' }), reader.ids(all.toReversed()))
            assert.deepEqual(await ask({ sort: '-id' }), reader.ids(all.toReversed()))
            const named = { 'filter[name]': `${to.type[0]}1` }
            assert.deepEqual(await ask(named), reader.ids(all.filter((each) => each === 1)))
            const second = { 'page[size]': '1', 'page[number]': '2' }
            assert.deepEqual(await ask(second), reader.ids(all.slice(1, 2)))
            if (to.isDeclared) assert.deepEqual(await ask({ include: to.field }), reader.ids(all))
          }
        })
    },
  )
}

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { partOf } from '../../long-tests.ts'
import type { Identifier, TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'
import { type Direction, directionsOf, type End, type Links, linkVariants } from '../links.ts'
import { linkedTo, type Pair, withoutPairs, withPairs } from '../pairs.ts'

const rows = [1, 2, 3, 4]

/** The writes to one direction of a variant, with the expected links. */
class Writer {
  readonly app: Engine
  readonly direction: Direction
  readonly variant: Links
  /** As the direction has them. */
  pairs: readonly Pair[]

  constructor(app: Engine, direction: Direction, variant: Links) {
    this.app = app
    this.direction = direction
    this.variant = variant
    this.pairs = direction.orient(variant.pairs)
  }

  id(n: number): string {
    return this.variant.ids.of(n)
  }
  path(n: number, rest = ''): string {
    return `${this.direction.from.path}/${encodeURIComponent(this.id(n))}${rest}`
  }
  /** The linkage of some rows, as it is written. */
  linkage(numbers: readonly number[]): Identifier[] | Identifier | null {
    const { from, to } = this.direction
    const all = numbers.map((n) => ({ type: to.type, id: this.id(n) }))
    return from.many ? all : (all[0] ?? null)
  }
  write(method: string, n: number, numbers: readonly number[]): Promise<TestResponse> {
    const path = this.path(n, `/relationships/${this.direction.from.field}`)
    return this.app.call(method, path, { body: { data: this.linkage(numbers) } })
  }
  /** Replaces the expected links of a row. */
  replace(n: number, others: readonly number[]): void {
    this.pairs = withoutPairs(this.pairs, n, linkedTo(this.pairs, n))
    this.add(n, others)
  }
  add(n: number, others: readonly number[]): void {
    const added = others.map((other): Pair => [n, other])
    this.pairs = withPairs(this.pairs, added, this.direction.many)
  }
  remove(n: number, others: readonly number[]): void {
    this.pairs = withoutPairs(this.pairs, n, others)
  }

  /**
   * If the key on this side is unique and another row has the value: asserts that a write of it is a 409 that changes nothing,
   * and unlinks that row.
   */
  async freed(
    n: number,
    others: readonly number[],
    attempt: () => Promise<TestResponse>,
  ): Promise<void> {
    const { direction, variant, pairs } = this
    const isKeyEnd = direction.from === variant.near && !variant.near.many && !variant.far.many
    const holder = pairs.find(([one, other]) => one !== n && others.includes(other))?.[0]
    if (!isKeyEnd || holder === undefined) return
    const { status, error } = await attempt()
    assert.deepEqual([status, error.code], [409, 'constraint_conflict'])
    await this.assertLinks()
    assert.equal((await this.write('PATCH', holder, [])).status, 200)
    this.replace(holder, [])
  }

  /** Asserts that both ends have the expected links and no others. */
  async assertLinks(numbers = rows): Promise<void> {
    for (const { from, to, orient } of directionsOf(this.variant)) {
      const isOwn =
        from.type === this.direction.from.type && from.field === this.direction.from.field
      const near = orient(this.direction.orient(this.pairs))
      assert.ok(!isOwn || JSON.stringify(near) === JSON.stringify(this.pairs))
      const returned = await this.linkedBy(from)
      for (const n of numbers) {
        const linked = linkedTo(near, n).map((other) => this.id(other))
        assert.deepEqual(returned.get(this.id(n)), linked.sort(), `${from.type} ${n} → ${to.type}`)
      }
    }
  }
  async linkedBy({ type, path, field }: End): Promise<Map<string, string[]>> {
    const { many } = await this.app.get(path, { [`fields[${type}]`]: field })
    return new Map(
      many.map(({ id, relationships }) => {
        const linked = [relationships?.[field]?.data ?? []].flat()
        return [id, linked.map((each) => each.id).sort()]
      }),
    )
  }
}

const messages: Readonly<Record<string, string>> = {
  POST: 'Relationship successfully created',
  PATCH: 'Relationship successfully updated',
  DELETE: 'Relationship successfully updated',
}

for (const [index, variant] of linkVariants.entries()) {
  const tables = variant.tables(4, variant.pairs)
  for (const direction of directionsOf(variant)) {
    const { from, to } = direction
    const title = `Writing over ${variant.sentence}: ${from.type}.${from.field}`
    engine(title, { model: variant.model, tables, ...partOf(index, 7) }, (app) => {
      const writer = () => new Writer(app, direction, variant)
      const document = (n: number | undefined, others: readonly number[], made: Writer) => ({
        data: {
          type: from.type,
          ...(n !== undefined && { id: made.id(n) }),
          attributes: { name: 'new' },
          relationships: { [from.field]: { data: made.linkage(others) } },
        },
      })

      it('the relationship URL adds, replaces, removes and clears members; both sides show it; a repeated request changes nothing', async () => {
        const links = writer()
        const some = from.many ? [1, 2] : [2]
        for (const [method, n, others] of [
          ['POST', 4, from.many ? [2, 4, 2] : [4]],
          ['POST', 1, [3]],
          ['PATCH', 2, some],
          ['PATCH', 1, from.many ? [4, 1] : [1]],
          ['DELETE', 1, [1]],
          ['DELETE', 1, [1]],
          ['DELETE', 3, [1]],
          ['POST', 4, [3]],
          ['PATCH', 2, []],
          ['PATCH', 3, some],
        ] as const) {
          if (method !== 'DELETE')
            await links.freed(n, others, () => links.write(method, n, others))
          if (method === 'POST' && from.many) links.add(n, others)
          else if (method === 'DELETE') links.remove(n, others)
          else links.replace(n, others)
          for (const time of ['once', 'twice']) {
            const response = await links.write(method, n, others)
            assert.equal(response.status, 200, `${response.text} ${time}`)
            assert.deepEqual(response.body.meta, { message: messages[method] })
            await links.assertLinks()
          }
        }
      })

      it('a member that does not exist is 404 on POST and PATCH, and nothing is changed; DELETE ignores it', async () => {
        const links = writer()
        const others = from.many ? [1, 9, 4] : [9]
        for (const method of ['POST', 'PATCH']) {
          const response = await links.write(method, 1, others)
          assert.deepEqual([response.status, response.error.code], [404, 'related_not_found'])
          assert.equal(response.error.source?.pointer, from.many ? '/data/1' : '/data')
          await links.assertLinks()
        }
        const linked = linkedTo(links.pairs, 1)
        assert.equal((await links.write('DELETE', 1, from.many ? [...linked, 9] : [9])).status, 200)
        if (from.many) links.remove(1, linked)
        await links.assertLinks()
      })

      it('a resource in the path that does not exist is 404, a member of another type 409, a list for a to-one relationship 400', async () => {
        const links = writer()
        const path = links.path(1, `/relationships/${from.field}`)
        const unknownMember = { type: 'unknown', id: links.id(1) }
        const one = { type: to.type, id: links.id(1) }
        for (const method of ['POST', 'PATCH', 'DELETE']) {
          assert.equal((await links.write(method, 9, [1])).error.code, 'not_found')
          const conflict = { data: from.many ? [unknownMember] : unknownMember }
          assert.equal((await app.call(method, path, { body: conflict })).status, 409)
          const wrong = { data: from.many ? one : [one] }
          assert.equal((await app.call(method, path, { body: wrong })).status, 400)
        }
        await links.assertLinks()
      })

      it('an update of the resource replaces the links, with its attributes, all or nothing', async () => {
        const links = writer()
        for (const [n, others] of [
          [1, from.many ? [3, 4] : [4]],
          [2, []],
          [3, [1]],
          [3, [1]],
        ] as const) {
          await links.freed(n, others, () => app.patch(links.path(n), document(n, others, links)))
          links.replace(n, others)
          const show = { [`fields[${from.type}]`]: `name,${from.field}` }
          const response = await app.call('PATCH', links.path(n), {
            ...{ query: show, body: document(n, others, links) },
          })
          assert.equal(response.status, 200, response.text)
          assert.equal(response.one.attributes?.name, 'new')
          const returned = [response.one.relationships?.[from.field]?.data ?? []].flat()
          assert.deepEqual(
            returned.map(({ id }) => id),
            others.map((other) => links.id(other)),
          )
          await links.assertLinks()
        }
        const absent = from.many ? [1, 9] : [9]
        const rejected = await app.patch(links.path(4), document(4, absent, links))
        assert.deepEqual([rejected.status, rejected.error.code], [404, 'related_not_found'])
        const pointer = `/data/relationships/${from.field}/data${from.many ? '/1' : ''}`
        assert.equal(rejected.error.source?.pointer, pointer)
        assert.equal((await app.get(links.path(4))).one.attributes?.name, `${from.type[0]}4`)
        await links.assertLinks()
      })

      it('a create stores its links, and stores nothing if one of them cannot be stored', async () => {
        const links = writer()
        const count = async () => (await app.get(from.path)).body.meta?.count
        const id = variant.ids.isGiven ? 5 : undefined
        const rejected = await app.post(from.path, document(id, [9], links))
        assert.deepEqual([rejected.status, rejected.error.code], [404, 'related_not_found'])
        assert.equal(await count(), 4)
        const made = await app.post(from.path, document(id, [3], links))
        assert.equal(made.status, 201, made.text)
        const all = await links.linkedBy(from)
        assert.deepEqual(all.get(made.one.id), [links.id(3)])
        links.pairs = withPairs(links.pairs, [[99, 3]], direction.many)
        for (const n of rows) {
          const linked = linkedTo(links.pairs, n).map((other) => links.id(other))
          assert.deepEqual(all.get(links.id(n)), linked.sort())
        }
        const bare = await app.post(
          from.path,
          document(variant.ids.isGiven ? 6 : undefined, [], links),
        )
        assert.equal(bare.status, 201, bare.text)
        assert.deepEqual((await links.linkedBy(from)).get(bare.one.id), [])
      })

      it('a POST to the related URL creates a resource that is linked', async () => {
        const links = writer()
        const body = (id: number) => ({
          data: {
            ...{ type: to.type, attributes: { name: 'made' } },
            ...(variant.ids.isGiven && { id: links.id(id) }),
          },
        })
        const response = await app.post(links.path(2, `/${from.field}`), body(5))
        if (!from.many) {
          assert.equal(response.status, 405)
          return
        }
        assert.equal(response.status, 201, response.text)
        const before = linkedTo(links.pairs, 2).map((other) => links.id(other))
        const all = await links.linkedBy(from)
        assert.deepEqual(all.get(links.id(2)), [...before, response.one.id].sort())
        const absent = await app.post(links.path(9, `/${from.field}`), body(6))
        assert.deepEqual([absent.status, absent.error.code], [404, 'not_found'])
        assert.equal((await app.get(to.path)).body.meta?.count, 5)
        if (!to.isDeclared || to.many) return
        const elsewhere = { [to.field]: { data: { type: from.type, id: links.id(1) } } }
        const said = { data: { ...body(7).data, relationships: elsewhere } }
        const conflict = await app.post(links.path(2, `/${from.field}`), said)
        assert.deepEqual([conflict.status, conflict.error.code], [409, 'relationship_conflict'])
        const agreed = await app.post(links.path(1, `/${from.field}`), said)
        assert.equal(agreed.status, 201, agreed.text)
      })

      it('a deleted resource is in no linkage', async () => {
        const links = writer()
        assert.equal((await app.delete(links.path(1))).status, 200)
        const all = await links.linkedBy(from)
        assert.deepEqual(
          [...all.keys()].sort(),
          [2, 3, 4].map((n) => links.id(n)),
        )
        links.remove(1, rows)
        if (variant.isSelf) links.pairs = links.pairs.filter(([, other]) => other !== 1)
        await links.assertLinks([2, 3, 4])
      })
    })
  }
}

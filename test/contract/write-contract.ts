import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Store, sql } from 'lapidary'
import { toErrorList } from '../../src/errors/collector.ts'
import type { CompleteRows } from '../../src/plan/read-result.ts'
import type { WritePlan } from '../../src/plan/write.ts'
import type { ContractDatabase } from './contract-databases.ts'
import {
  planChange,
  planLinks,
  planLinkWrite,
  planList,
  planNew,
  planOne,
  planRelated,
  planRemoval,
  read,
  readBooks,
  remove,
  summarize,
  write,
  writeIn,
} from './library-client.ts'
import { noteIds } from './library-model.ts'
import { openLibrary } from './open-library.ts'

const [first = '', second = '', third = ''] = noteIds
const tag = (id: string) => ({ type: 'tag', id })
const book = (id: string) => ({ type: 'book', id })
const author = (id: string) => ({ type: 'author', id })
const note = (id: string) => ({ type: 'note', id })

/** A write to a relationship, and the linkage afterwards. */
type LinkCase = readonly [
  title: string,
  plan: () => WritePlan,
  path: string,
  id: string,
  expected: null | string | readonly string[],
]

// biome-ignore format: a table, one write a row
const linkCases: readonly LinkCase[] = [
  ['set a to-one relationship', () => planLinkWrite('book.author', '4', 'replace', author('3')), 'book.author', '4', 'author 3'],
  ['clear a to-one relationship', () => planLinkWrite('book.author', '1', 'replace', null), 'book.author', '1', null],
  ['set a to-one relationship whose foreign key is in the other table', () => planLinkWrite('author.biography', '3', 'replace', { type: 'biography', id: '1' }), 'author.biography', '1', null],
  ['clear a to-one relationship whose foreign key is in the other table', () => planLinkWrite('author.biography', '1', 'replace', null), 'author.biography', '1', null],
  ['add members to a to-many relationship', () => planLinkWrite('author.books', '1', 'add', [book('1'), book('3')]), 'author.books', '1', ['book 1', 'book 3']],
  ['remove members of a to-many relationship', () => planLinkWrite('author.books', '2', 'remove', [book('3'), book('4')]), 'author.books', '2', ['book 2']],
  ['replace the members of a to-many relationship', () => planLinkWrite('author.books', '2', 'replace', [book('3'), book('4')]), 'author.books', '2', ['book 3', 'book 4']],
  ['add members to a join table', () => planLinkWrite('book.tags', '1', 'add', [tag('x'), tag('y')]), 'book.tags', '1', ['tag x', 'tag y']],
  ['remove members of a join table', () => planLinkWrite('tag.books', 'x', 'remove', [book('1'), book('3')]), 'tag.books', 'x', ['book 2']],
  ['replace the members of a join table', () => planLinkWrite('book.tags', '2', 'replace', [tag('y')]), 'book.tags', '2', ['tag y']],
  ['remove all members of a join table', () => planLinkWrite('tag.books', 'x', 'replace', []), 'tag.books', 'x', []],
]

/** A write that must fail, its code, and the location of the error. */
type ErrorCase = readonly [
  title: string,
  write: (store: Store) => Promise<unknown>,
  errors: readonly (readonly [code: string, location: string])[],
]

// biome-ignore format: a table, one write a row
const errorCases: readonly ErrorCase[] = [
  ['a unique column', (store) => write(store, planNew('author', { attributes: { email: 'ada@x.org' } })),
    [['constraint_conflict', '/data/attributes/email']]],
  ['a unique column of an update', (store) => write(store, planChange('author', '2', { attributes: { email: 'ada@x.org' } })),
    [['constraint_conflict', '/data/attributes/email']]],
  ['a column that must not be null', (store) => write(store, planNew('author', { attributes: { name: null } })),
    [['invalid_value', '/data/attributes/name']]],
  ['a check', (store) => write(store, planChange('book', '1', { attributes: { pages: -1 } })),
    [['invalid_value', '/data/attributes/pages']]],
  ['the id of another resource', (store) => write(store, planNew('tag', { id: 'x' })), [['id_taken', '/data/id']]],
  ['a foreign key that must not be null', (store) => write(store, planNew('note', {})),
    [['invalid_value', '/data/relationships/author']]],
  ['a member that cannot be unlinked', (store) => write(store, planChange('author', '2', { relationships: { notes: { data: [] } } })),
    [['invalid_value', '/data/relationships/notes']]],
  ['a removed member that cannot be unlinked', (store) => write(store, planLinkWrite('author.notes', '2', 'remove', [note(second)])),
    [['invalid_value', '/data']]],
  ['a resource that others refer to', (store) => remove(store, 'author', '1'), [['constraint_conflict', '']]],
  ['an update of a missing resource', (store) => write(store, planChange('book', '99', { attributes: { title: 'Z' } })),
    [['not_found', 'id']]],
  ['a relationship of a missing resource', (store) => write(store, planLinkWrite('book.tags', '99', 'add', [tag('x')])),
    [['not_found', 'id']]],
  ['a create below a missing resource', (store) => write(store, planNew('book', {}, ['author.books', '99'])),
    [['not_found', 'id']]],
  ['a deletion of a missing resource', (store) => remove(store, 'book', '99'), [['not_found', 'id']]],
  ['missing related resources', (store) => write(store, planNew('book', { relationships: { author: { data: author('98') }, tags: { data: [tag('x'), tag('z')] } } })),
    [['related_not_found', '/data/relationships/author/data'], ['related_not_found', '/data/relationships/tags/data/1']]],
]

/** Declares the cases of single writes. */
export function describeWrites(contract: ContractDatabase): void {
  it('creates a resource with an id that the database generates', async (test) => {
    const { store } = await openLibrary(test, contract)
    const plan = planNew('book', {
      attributes: { title: 'E', pages: 5 },
      relationships: { author: { data: author('3') }, tags: { data: [tag('y'), tag('x')] } },
    })
    const planned = planOne('book', 'include=author,tags')
    const { id, rows } = await write(store, plan, planned.plan)
    assert.equal(id, '5')
    assert.ok(rows)
    const expected = {
      data: 'book 5 E 5 author=3 tags=x,y',
      included: ['author 3 Cyd ', 'tag x X', 'tag y Y'],
    }
    assert.deepEqual(await read(store, planned, id), expected)
    // The rows that the write read are those that a read returns.
    assert.deepEqual(rows, await store.transaction(({ read: inside }) => inside(planned.plan, id)))
  })

  it('creates a resource with an id that the server generates', async (test) => {
    const { store } = await openLibrary(test, contract)
    const plan = planNew('note', { relationships: { author: { data: author('3') } } })
    const { id, rows } = await write(store, plan)
    assert.match(id, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    assert.equal(rows, undefined)
    assert.deepEqual((await read(store, planLinks('author.notes'), '3')).data, [`note ${id}`])
  })

  it('creates a resource with the id that the client sends', async (test) => {
    const { store } = await openLibrary(test, contract)
    const resource = { id: 'ü z', relationships: { books: { data: [book('4')] } } }
    assert.equal((await write(store, planNew('tag', resource))).id, 'ü z')
    assert.deepEqual((await read(store, planLinks('book.tags'), '4')).data, ['tag ü z'])
  })

  it('reads the resources whose foreign key a write changes, and resources by their ids', async (test) => {
    const { store } = await openLibrary(test, contract)
    const idsOf = async (ids: readonly string[], change?: Parameters<typeof readBooks>[2]) =>
      (await readBooks(store, ids, change)).map(([id]) => String(id))
    for (const [is, by, ids, changed] of [
      ['add', '1', ['3', '1'], ['3']],
      ['remove', '2', ['4', '1', '3'], ['3']],
      ['replace', '2', ['1', '4', '3'], ['1', '2', '4']],
      ['replace', '1', [], ['1']],
    ] as const)
      assert.deepEqual(await idsOf(ids, { author: by, is }), changed, `${is} ${ids}`)
    assert.deepEqual(await idsOf(['4', '99', '2']), ['2', '4'])
    const [row = []] = await readBooks(store, ['1'])
    const { data } = await read(store, planOne('book', 'fields[book]=title,pages'), '1')
    assert.equal(`book ${row.join(' ')}`, data)
  })

  it('creates a resource as a related resource of another', async (test) => {
    const { store } = await openLibrary(test, contract)
    await write(store, planNew('book', { attributes: { title: 'E' } }, ['author.books', '3']))
    await write(store, planNew('tag', { id: 'z' }, ['book.tags', '3']))
    assert.deepEqual((await read(store, planRelated('author.books'), '3')).data, ['book 5 E '])
    assert.deepEqual((await read(store, planLinks('book.tags'), '3')).data, ['tag z'])
  })

  it('generates an id that no other row has', async (test) => {
    const { store } = await openLibrary(test, contract)
    await store.transaction(({ query }) => query(sql`insert into author (id) values (4), (5), (9)`))
    const { id } = await write(store, planNew('author', {}))
    assert.ok(!['1', '2', '3', '4', '5', '9'].includes(id), id)
  })

  it('updates attributes and relationships, and nothing else', async (test) => {
    const { store } = await openLibrary(test, contract)
    const plan = planChange('book', '2', {
      attributes: { title: null },
      relationships: { author: { data: null }, tags: { data: [tag('y')] } },
    })
    const planned = planOne('book', 'include=author,tags')
    assert.equal((await write(store, plan, planned.plan)).id, '2')
    const expected = { data: 'book 2  200 author= tags=y', included: ['tag y Y'] }
    assert.deepEqual(await read(store, planned, '2'), expected)
    await write(store, planChange('book', '2', {}))
    assert.deepEqual(await read(store, planned, '2'), expected)
  })

  it('deletes a resource', async (test) => {
    const { store } = await openLibrary(test, contract)
    await remove(store, 'tag', 'x')
    assert.deepEqual((await read(store, planList('tag'))).data, ['tag y Y'])
    assert.deepEqual((await read(store, planLinks('book.tags'), '2')).data, ['tag y'])
  })

  it('changes the links of every kind of relationship', async (test) => {
    const { store } = await openLibrary(test, contract)
    for (const [title, plan, path, id, expected] of linkCases)
      await test.test(title, async () => {
        const { plan: readPlan, serialize } = planLinks(path)
        const rollback = new Error('each case begins with the same links')
        let rows: CompleteRows | undefined
        const changing = store.transaction(async (transaction) => {
          await writeIn(transaction, plan())
          rows = await transaction.read(readPlan, id)
          throw rollback
        })
        await assert.rejects(changing, (error) => error === rollback)
        assert.ok(rows)
        assert.deepEqual((await summarize(serialize(rows))).data, expected)
      })
  })

  it('reports violated constraints and preconditions as errors of the request', async (test) => {
    const { store } = await openLibrary(test, contract)
    const readAll = () =>
      Promise.all(['author', 'book', 'note', 'tag'].map((type) => read(store, planList(type))))
    const before = await readAll()
    for (const [title, run, expected] of errorCases)
      await test.test(title, async () => {
        const thrown: unknown = await run(store).then(
          () => 'nothing was thrown',
          (error) => error,
        )
        const errors = toErrorList(thrown)?.errors.map(({ code, location }) => [code, location])
        assert.deepEqual(errors, expected, String(thrown))
        assert.deepEqual(await readAll(), before)
      })
  })

  it('returns the errors about missing related resources, in the order of the document', async (test) => {
    const { store } = await openLibrary(test, contract)
    const plan = planLinkWrite('author.notes', '1', 'add', [
      note(first),
      note(third.replace('3', '4')),
    ])
    const { errors } = await store.transaction((transaction) =>
      transaction.checkPreconditions(plan),
    )
    assert.deepEqual(
      errors.map(({ code, location }) => [code, location]),
      [['related_not_found', '/data/1']],
    )
  })

  it('given an open transaction, then only it can read its writes', async (test) => {
    const { store, another } = await openLibrary(test, contract)
    const reader = await another()
    const title = planOne('book', 'fields[book]=title')
    await store.transaction(async (transaction) => {
      await writeIn(transaction, planChange('book', '1', { attributes: { title: 'New' } }))
      const { primary } = await transaction.read(title.plan, '1')
      assert.equal(primary[0]?.[1], 'New')
      assert.equal((await read(reader, title, '1')).data, 'book 1 A')
    })
    assert.equal((await read(reader, title, '1')).data, 'book 1 New')
  })

  it('returns the result of a transaction, and rolls it back when the work throws', async (test) => {
    const { store } = await openLibrary(test, contract)
    assert.equal(await store.transaction(async () => 'result'), 'result')
    const error = new Error('thrown by the work')
    const failing = store.transaction(async (transaction) => {
      await writeIn(transaction, planNew('author', { attributes: { name: 'Eve' } }))
      await writeIn(transaction, planLinkWrite('book.tags', '1', 'replace', []))
      await transaction.remove(planRemoval('note', first))
      throw error
    })
    await assert.rejects(failing, (thrown) => thrown === error)
    assert.equal((await read(store, planList('author'))).count, 3)
    assert.equal((await read(store, planList('note'))).count, 3)
    assert.deepEqual((await read(store, planLinks('book.tags'), '1')).data, ['tag x'])
  })

  it('rolls back the statements of a savepoint that fails, and no others of the transaction', async (test) => {
    const { store } = await openLibrary(test, contract)
    const insert = (name: string) => planNew('author', { attributes: { name } })
    const names = await store.transaction(async (transaction) => {
      const count = () => transaction.query(sql`select count(*) as n from author`)
      await transaction.query(sql`select 1`)
      await writeIn(transaction, insert('kept'))
      const failing = transaction.savepoint(async () => {
        await writeIn(transaction, insert('gone'))
        // A statement of a hook has a savepoint of its own.
        await assert.rejects(transaction.query(sql`insert into author (name) values (null)`))
        assert.deepEqual(await count(), [{ n: 5 }])
        throw new Error('thrown by the work')
      })
      await assert.rejects(failing, /thrown by the work/)
      assert.deepEqual(await count(), [{ n: 4 }])
      const rejected = transaction.savepoint(() =>
        writeIn(transaction, planChange('author', '77', {})),
      )
      await assert.rejects(rejected)
      await assert.rejects(transaction.query(sql`insert into author (name) values (null)`))
      const result = await transaction.savepoint(async () => {
        await writeIn(transaction, insert('also kept'))
        await assert.rejects(transaction.query(sql`select nothing`))
        return 'result'
      })
      assert.equal(result, 'result')
      await transaction.query(sql`select 1`)
      return transaction.query(sql`select name from author where name like '%kept' order by name`)
    })
    assert.deepEqual(names, [{ name: 'also kept' }, { name: 'kept' }])
    assert.equal((await read(store, planList('author'))).count, 5)
  })
}

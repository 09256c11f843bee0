import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Store } from 'lapidary'
import { NotFoundError } from '../../src/errors/errors.ts'
import type { ContractDatabase } from './contract-databases.ts'
import { planLinks, planList, planOne, planRelated, read } from './library-client.ts'
import { noteIds } from './library-model.ts'
import { openLibrary } from './open-library.ts'

const [first, second, third] = noteIds

/** A read of the library, and its document. */
type ReadCase = readonly [
  title: string,
  planned: ReturnType<typeof planList>,
  id: string | undefined,
  expected: Awaited<ReturnType<typeof read>>,
]

/** Writes a filter as a query string. */
const filter = (...clauses: readonly unknown[]) =>
  `filter=${encodeURIComponent(JSON.stringify(clauses))}`

// biome-ignore format: a table, one read a row
const readCases: readonly ReadCase[] = [
  ['one resource by its id', planOne('author'), '1', { data: 'author 1 Ada ada@x.org' }],
  ['one resource by a client-generated id', planOne('tag'), 'y', { data: 'tag y Y' }],
  ['one resource by a UUID', planOne('note'), second, { data: `note ${second} n2` }],
  ['only the requested fields', planOne('book', 'fields[book]=pages'), '2', { data: 'book 2 200' }],
  ['a list in the order of the ids', planList('author'), undefined,
    { data: ['author 1 Ada ada@x.org', 'author 2 Bob ', 'author 3 Cyd '], count: 3 }],
  ['a list in descending order, null first', planList('book', 'sort=-pages&fields[book]=title'), undefined,
    { data: ['book 4 D', 'book 3 C', 'book 2 B', 'book 1 A'], count: 4 }],
  ['a list in the order of a related attribute', planList('book', `sort=-author.name,id&fields[book]=&${filter({ name: 'pages', op: 'gt', val: 0 })}`), undefined,
    { data: ['book 2', 'book 3', 'book 1'], count: 3 }],
  ['the first page and the count', planList('book', 'page[size]=3&fields[book]='), undefined,
    { data: ['book 1', 'book 2', 'book 3'], count: 4 }],
  ['the last page and the count', planList('book', 'page[size]=3&page[number]=2&fields[book]='), undefined,
    { data: ['book 4'], count: 4 }],
  ['a page beyond the end is empty and has the count', planList('book', 'page[size]=3&page[number]=9'), undefined,
    { data: [], count: 4 }],
  ['a filter on a text', planList('book', `${filter({ name: 'title', op: 'ilike', val: 'b' })}`), undefined,
    { data: ['book 2 B 200'], count: 1 }],
  ['a filter on null', planList('book', `${filter({ name: 'pages', op: 'eq', val: null })}`), undefined,
    { data: ['book 4 D '], count: 1 }],
  ['a negated filter excludes null', planList('book', `fields[book]=&${filter({ not: { name: 'pages', op: 'gt', val: 100 } })}`), undefined,
    { data: ['book 1'], count: 1 }],
  ['a filter over a to-one relationship', planList('book', `fields[book]=&${filter({ name: 'author__name', op: 'eq', val: 'Bob' })}`), undefined,
    { data: ['book 2', 'book 3'], count: 2 }],
  ['a filter over a join table', planList('tag', `fields[tag]=&${filter({ name: 'books__title', op: 'eq', val: 'B' })}`), undefined,
    { data: ['tag x', 'tag y'], count: 2 }],
  ['an included to-one relationship', planList('book', 'include=author&page[size]=2&fields[book]=author'), undefined,
    { data: ['book 1 author=1', 'book 2 author=2'], included: ['author 1 Ada ada@x.org', 'author 2 Bob '], count: 4 }],
  ['an included to-one relationship whose foreign key is in the other table', planList('author', 'include=biography&fields[author]=biography'), undefined,
    { data: ['author 1 biography=1', 'author 2 biography=', 'author 3 biography='], included: ['biography 1 of Ada'], count: 3 }],
  ['an included to-many relationship with an index', planList('author', 'include=books&fields[author]=books&fields[book]='), undefined,
    { data: ['author 1 books=1', 'author 2 books=2,3', 'author 3 books='], included: ['book 1', 'book 2', 'book 3'], count: 3 }],
  ['an included to-many relationship without an index', planList('author', 'include=notes&fields[author]=notes&fields[note]='), undefined,
    { data: [`author 1 notes=${first}`, `author 2 notes=${second},${third}`, 'author 3 notes='],
      included: [`note ${first}`, `note ${second}`, `note ${third}`], count: 3 }],
  ['an included join table with an index', planOne('book', 'include=tags&fields[book]=tags'), '2',
    { data: 'book 2 tags=x,y', included: ['tag x X', 'tag y Y'] }],
  ['an included join table without an index', planList('tag', 'include=books&fields[tag]=books&fields[book]='), undefined,
    { data: ['tag x books=1,2', 'tag y books=2'], included: ['book 1', 'book 2'], count: 2 }],
  ['an include path that returns to the primary data', planOne('author', 'include=books.author,books.tags&fields[author]=books&fields[book]=author,tags'), '2',
    { data: 'author 2 books=2,3', included: ['book 2 author=2 tags=x,y', 'book 3 author=2 tags=', 'tag x X', 'tag y Y'] }],
  ['the related resources of a to-many relationship', planRelated('author.books', 'sort=-id&fields[book]='), '2',
    { data: ['book 3', 'book 2'], count: 2 }],
  ['the related resource of a to-one relationship', planRelated('book.author'), '1', { data: 'author 1 Ada ada@x.org' }],
  ['null for an empty to-one relationship', planRelated('book.author'), '4', { data: null }],
  ['the linkage of a to-many relationship', planLinks('author.books'), '2', { data: ['book 2', 'book 3'] }],
  ['a page of the linkage of a join table', planLinks('tag.books', 'page[size]=1&page[number]=2'), 'x', { data: ['book 2'] }],
  ['the linkage of a to-one relationship', planLinks('book.author'), '1', { data: 'author 1' }],
  ['null for the linkage of an empty to-one relationship', planLinks('biography.author'), '2', { data: null }],
]

/** Reads whose path names a resource that does not exist, and the name of the id in the error. */
const missingCases = [
  ['one resource', planOne('author'), 'id'],
  ['a list of related resources', planRelated('author.books'), 'id'],
  ['a related resource', planRelated('biography.author'), 'biography_id'],
  ['linkage', planLinks('author.books'), 'id'],
] as const

/** Declares the cases of reads without concurrent writes. */
export function describeReads(contract: ContractDatabase): void {
  it('returns the rows that a plan selects', async (test) => {
    const { store } = await openLibrary(test, contract)
    for (const [title, planned, id, expected] of readCases)
      await test.test(title, async () => {
        assert.deepEqual(await read(store, planned, id), expected)
        // Further reads may use cached statements and counts.
        assert.deepEqual(await read(store, planned, id), expected)
      })
  })

  it('throws NotFoundError when the resource in the path does not exist', async (test) => {
    const { store } = await openLibrary(test, contract)
    for (const [title, planned, parameter] of missingCases)
      await test.test(title, () =>
        assert.rejects(read(store, planned, '99'), (error) => {
          assert.ok(error instanceof NotFoundError, String(error))
          assert.equal(error.parameter, parameter)
          return true
        }),
      )
  })

  it('answers concurrent reads the same, whether the tables were verified or not', async (test) => {
    const { store, another } = await openLibrary(test, contract)
    const expected = readCases.map(([, , , document]) => document)
    const readAll = (store: Store) =>
      Promise.all(readCases.map(([, planned, id]) => read(store, planned, id)))
    assert.deepEqual(await readAll(store), expected)
    await store.verify()
    assert.deepEqual(await readAll(store), expected)
    assert.deepEqual(await readAll(await another()), expected)
  })
}

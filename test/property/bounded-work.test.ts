import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { attribute, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { scale, seed } from './seed.ts'

/** A reference from one table to another: a column of the one, or a join table; without any index. */
interface Reference {
  readonly from: number
  readonly to: number
  readonly isJoin: boolean
}

/** Tables that refer to each other, and how many rows each has. */
interface Tables {
  readonly sizes: readonly number[]
  readonly references: readonly Reference[]
}

const names = ['a', 'b', 'c', 'd']

const anyTables: fc.Arbitrary<Tables> = fc
  .array(fc.integer({ min: 60, max: 700 }), { minLength: 2, maxLength: 4 })
  .chain((sizes) => {
    const table = fc.nat(sizes.length - 1)
    const reference = fc.record({ from: table, to: table, isJoin: fc.boolean() })
    return fc.record({
      sizes: fc.constant(sizes),
      references: fc.array(reference, { minLength: 2, maxLength: 5 }),
    })
  })

/** The relationships of a table by name, each with the table it leads to. */
type Relationships = ReadonlyMap<string, Readonly<{ to: number; many: boolean }>>

function relationshipsOf({ references }: Tables, table: number): Relationships {
  return new Map(
    references.flatMap(({ from, to, isJoin }, at) => [
      ...(from === table ? [[`to${at}`, { to, many: isJoin }] as const] : []),
      ...(to === table ? [[`from${at}`, { to: from, many: true }] as const] : []),
    ]),
  )
}

function modelOf(tables: Tables) {
  return defineModel(
    tables.sizes.map((_, table) => {
      const links = tables.references.flatMap(({ from, to, isJoin }, at) => {
        const [own, other] = [`x${at}`, `y${at}`]
        const join = (near: string, far: string) => ({ table: `j${at}`, from: near, to: far })
        return [
          ...(from === table
            ? [
                [
                  `to${at}`,
                  isJoin
                    ? toMany(`${names[to]}`, { through: join(own, other), count: true })
                    : toOne(`${names[to]}`, { column: `ref${at}` }),
                ] as const,
              ]
            : []),
          ...(to === table
            ? [
                [
                  `from${at}`,
                  isJoin
                    ? toMany(`${names[from]}`, { through: join(other, own), count: true })
                    : toMany(`${names[from]}`, { column: `ref${at}`, count: true }),
                ] as const,
              ]
            : []),
        ]
      })
      const name = `${names[table]}`
      return resource(name, {
        ...{ path: `/${name}s`, table: name },
        fields: { name: attribute(text), size: attribute(integer), ...Object.fromEntries(links) },
      })
    }),
    { maxPageSize: null },
  )
}

function fill(path: string, { sizes, references }: Tables): void {
  const database = new DatabaseSync(path)
  for (const [table, size] of sizes.entries()) {
    const own = references.flatMap((each, at) => (each.from === table && !each.isJoin ? [at] : []))
    const columns = own.map((at) => `, ref${at} integer`).join('')
    const values = own.map((at) => {
      const most = sizes[references[at]?.to ?? 0] ?? 1
      return `, case when n % 7 then 1 + (n * ${at + 3}) % ${most} end`
    })
    database.exec(
      `create table ${names[table]} (id integer primary key, name text, size integer${columns});
       with recursive n (n) as (select 1 union all select n + 1 from n where n < ${size})
       insert into ${names[table]} select n, 'Name ' || (n * 13 % 50), n % 20${values.join('')} from n;`,
    )
  }
  for (const [at, { from, to, isJoin }] of references.entries())
    if (isJoin)
      database.exec(
        `create table j${at} (x${at} integer not null, y${at} integer not null);
         insert into j${at} select distinct a.id, 1 + (a.id * 5) % ${sizes[to]} from ${names[from]} as a`,
      )
  database.close()
}

/** A path over relationships, from a table on. */
function anyPath(tables: Tables, table: number, most: number): fc.Arbitrary<string[]> {
  const relationships = [...relationshipsOf(tables, table)]
  if (most === 0 || relationships.length === 0) return fc.constant([])
  return fc
    .constantFrom(...relationships)
    .chain(([name, { to }]) =>
      anyPath(tables, to, most - 1).chain((rest) =>
        fc
          .constantFrom(...rest.map((_, at) => rest.slice(0, at)), rest)
          .map((part) => [name, ...part]),
      ),
    )
}

/** The relationships of a table whose numbers can be requested. */
function listCounted(tables: Tables, table: number): string[] {
  return [...relationshipsOf(tables, table)].flatMap(([name, { many }]) => (many ? [name] : []))
}

function anyTest(tables: Tables, table: number): fc.Arbitrary<unknown> {
  const test = fc.constantFrom(
    ...[
      { name: 'name', op: 'ilike', val: '%E 1%' },
      { name: 'name', op: 'like', val: 'Name 1' },
      { name: 'name', op: 'match', val: '13' },
      { name: 'size', op: 'gt', val: 17 },
      { name: 'name', op: 'endswith', val: '9' },
      { name: 'size', op: 'in_', val: [1, 2, 3] },
    ],
  )
  const counted = listCounted(tables, table).flatMap((name) => [
    { name, op: 'count_ge', val: 2 },
    { name, op: 'count_eq', val: 0 },
  ])
  const nested = anyPath(tables, table, 2).chain((path) =>
    test.map((each) => ({ ...each, name: [...path, each.name].join('__') })),
  )
  return fc.oneof(
    test,
    ...(counted.length > 0 ? [fc.constantFrom(...counted)] : []),
    nested,
    nested.map((each) => ({ not: each })),
  )
}

function anyRequest(tables: Tables): fc.Arbitrary<string> {
  return fc.nat(tables.sizes.length - 1).chain((table) => {
    const relationships = [...relationshipsOf(tables, table)]
    const toOnes = relationships.filter(([, { many }]) => !many).map(([name]) => `${name}.name`)
    const starts = [
      `/${names[table]}s`,
      ...relationships.map(([name]) => `/${names[table]}s/3/${name}`),
    ]
    // What a relationship leads to has fields of its own type alone.
    return fc.constantFrom(...starts).chain((start) => {
      const name = start.split('/')[3]
      const at = name === undefined ? undefined : relationshipsOf(tables, table).get(name)
      const isList = at === undefined || at.many
      const to = at?.to ?? table
      return fc
        .record({
          include: fc.array(
            anyPath(tables, to, 3).map((path) => path.join('.')),
            { maxLength: 2 },
          ),
          filter: fc.array(anyTest(tables, to), { maxLength: isList ? 3 : 0 }),
          sort: fc.constantFrom(
            ...['', 'name', '-size', ...listCounted(tables, to).map((each) => `-${each}.count`)],
            ...(at === undefined ? toOnes : []),
          ),
          withCount: fc.subarray(listCounted(tables, to)),
          size: fc.constantFrom('0', '1', '30', '400', '600'),
          listed: fc.boolean(),
        })
        .map(({ include, filter, sort, size, listed, withCount }) => {
          const own = [...relationshipsOf(tables, to).keys(), 'name'].join(',')
          const query = new URLSearchParams({
            ...(include.length > 0 && { include: include.filter(Boolean).join(',') }),
            ...(filter.length > 0 && { filter: JSON.stringify([{ or: filter }]) }),
            ...(isList && { ...(sort !== '' && { sort }), 'page[size]': size }),
            ...(withCount.length > 0 && { withCount: withCount.join() }),
            ...(listed && { [`fields[${names[to]}]`]: own }),
          })
          return `${start}?${query}`
        })
    })
  })
}

/** A change of the members of a relationship. */
interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly data: readonly Readonly<{ type: string; id: string }>[]
}

function anyWrite(tables: Tables): fc.Arbitrary<Write> {
  const relationships = tables.sizes.flatMap((_, table) =>
    [...relationshipsOf(tables, table)]
      .filter(([, { many }]) => many)
      .map(([name, { to }]) => ({ url: `/${names[table]}s/5/relationships/${name}`, to })),
  )
  return fc
    .record({
      method: fc.constantFrom('POST', 'PATCH', 'DELETE'),
      relationship: fc.constantFrom(...relationships),
      share: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ method, relationship: { url, to }, share }) => {
      const length = Math.floor((tables.sizes[to] ?? 0) / share)
      const data = Array.from({ length }, (_, at) => ({ type: `${names[to]}`, id: `${at + 1}` }))
      return { method, url, data }
    })
}

/** What a statement cost, as SQLite's store publishes it. */
interface Work {
  readonly sql: string
  readonly steps: number
  readonly rows: number
}

/** Runs something and returns what its statements cost. */
async function workOf(run: () => Promise<void>): Promise<Work[]> {
  const all: Work[] = []
  // The store publishes nothing else on the channel.
  const listen = (message: unknown) => void all.push(message as Work)
  subscribe('lapidary:work', listen)
  try {
    await run()
  } finally {
    unsubscribe('lapidary:work', listen)
  }
  return all
}

/** Operations for each visit to a row, a level of nesting aside; a comparison takes a few, and sorting some more. */
const perVisit = 40
const perValue = 8

/**
 * What a statement may cost at most: one scan of each table that stands in it, the rows that it returns, and those that were sent.
 * @param sent - the members in all writes so far
 */
function bound({ sql, rows }: Work, { sizes, references }: Tables, sent = 0): number {
  const tables = [...sql.matchAll(/"([a-d]|j\d)" (?:as|where)/g)].map(([, name = '']) => name)
  const scans = tables.map((name) => {
    const own = sizes[names.indexOf(name)]
    return own ?? sizes[references[Number(name.slice(1))]?.from ?? 0] ?? 0
  })
  const linked = sizes.reduce((sum, size) => sum + size, 0)
  // Each relationship whose linkage is aggregated or whose rows are counted sorts its links.
  const groups = sql.split(/json_group_array|group by/).length - 1
  const aggregated = linked * groups
  // What was sent before is in the tables by now.
  const visits = scans.reduce((sum, size) => sum + size + sent, sent) + rows + aggregated
  return 500 + visits * (perVisit + perValue * (sql.split('?').length - 1))
}

function assertBounded(
  request: string,
  work: readonly Work[],
  tables: Tables,
  sent?: number,
): void {
  for (const each of work) {
    const most = bound(each, tables, sent)
    assert.ok(
      each.steps <= most,
      `${request}\n${each.sql}\n${each.steps} operations, ${most} at most`,
    )
  }
}

describe('The rows that a statement visits', () => {
  it('are bounded by a scan of each of its tables and the rows returned, without any index', async () => {
    let statements = 0
    await fc.assert(
      fc.asyncProperty(
        anyTables.chain((tables) =>
          fc.record({
            tables: fc.constant(tables),
            requests: fc.array(anyRequest(tables), { minLength: 12, maxLength: 12 }),
            writes: fc.array(anyWrite(tables), { minLength: 4, maxLength: 4 }),
          }),
        ),
        async ({ tables, requests, writes }) => {
          const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
          const path = join(folder, 'test.db')
          fill(path, tables)
          const model = modelOf(tables)
          const store = openSqlite(model, path)
          const server = createServer({ model, store, logLevel: 'silent' })
          try {
            await store.verify()
            for (const url of requests) {
              const work = await workOf(async () => {
                const response = await server.inject({ url })
                assert.equal(response.statusCode, 200, `${url}\n${response.body}`)
              })
              statements += work.length
              assertBounded(url, work, tables)
            }
            let sent = 0
            for (const { method, url, data } of writes) {
              sent += data.length
              const work = await workOf(async () => {
                const headers = { 'content-type': mediaType }
                const payload = JSON.stringify({ data })
                const response = await server.inject({ method, url, headers, payload })
                assert.ok(response.statusCode < 300, `${method} ${url}\n${response.body}`)
              })
              assert.ok(work.length > 0)
              assertBounded(`${method} ${url}`, work, tables, sent)
            }
          } finally {
            await server.close()
            await store.close()
            rmSync(folder, { recursive: true })
          }
        },
      ),
      { numRuns: 4 * scale, seed },
    )
    assert.ok(statements > 100)
  })
})

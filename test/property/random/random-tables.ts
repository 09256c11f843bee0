import * as fc from 'fast-check'
import { attribute, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'

// Random declarations over tables without indexes, and random requests for them.

/** A reference from one table to another: a column of the one, or a join table; without any index. */
interface Reference {
  readonly from: number
  readonly to: number
  readonly isJoin: boolean
}

/** Tables that refer to each other, and how many rows each has. */
export interface Tables {
  readonly sizes: readonly number[]
  readonly references: readonly Reference[]
}

/** The names of the tables. */
export const names = ['a', 'b', 'c', 'd']

/** Generates tables. */
export const anyTables: fc.Arbitrary<Tables> = fc
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

/** Declares a resource type for each table, with a relationship for each end of a reference. */
export function modelOf(tables: Tables) {
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
        ...{ path: `/${name}s`, table: name, id: { client: 'required' } },
        fields: { name: attribute(text), size: attribute(integer), ...Object.fromEntries(links) },
      })
    }),
    { maxPageSize: null },
  )
}

/** Writes the SQL that creates the tables, without any index, and fills them. It is the same for both databases. */
export function fillTables({ sizes, references }: Tables): string {
  const filled = sizes.map((size, table) => {
    const own = references.flatMap((each, at) => (each.from === table && !each.isJoin ? [at] : []))
    const columns = own.map((at) => `, ref${at} integer`).join('')
    const values = own.map((at) => {
      const most = sizes[references[at]?.to ?? 0] ?? 1
      return `, case when n % 7 <> 0 then 1 + (n * ${at + 3}) % ${most} end`
    })
    return `create table ${names[table]} (id integer primary key, name text, size integer${columns});
      with recursive n (n) as (select 1 union all select n + 1 from n where n < ${size})
        insert into ${names[table]} select n, 'Name ' || (n * 13 % 50), n % 20${values.join('')} from n;`
  })
  const joined = references.flatMap(({ from, to, isJoin }, at) =>
    isJoin
      ? `create table j${at} (x${at} integer not null, y${at} integer not null);
         insert into j${at} select distinct a.id, 1 + (a.id * 5) % ${sizes[to]} from ${names[from]} as a;`
      : [],
  )
  return [...filled, ...joined].join('\n')
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

/** Generates a GET request. */
export function anyRequest(tables: Tables): fc.Arbitrary<string> {
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

/** Generates a change of the members of a relationship. */
export function anyWrite(tables: Tables): fc.Arbitrary<Write> {
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

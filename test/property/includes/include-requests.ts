import assert from 'node:assert/strict'
import type { Random } from '../random-choices.ts'
import {
  type Document,
  type Forest,
  type ForestRow,
  type ForestServer,
  type ResourceObject,
  type TypeName,
  types,
} from './include-forest.ts'

/** What a request says about the members of a path. */
interface PathOptions {
  readonly size?: number
  readonly sort?: string
  readonly filter?: readonly Readonly<{ name: string; op: Op; val: string | number }>[]
}

type Op = 'eq' | 'ge' | 'lt'

/** A request with included members. */
interface IncludeRequest {
  readonly type: TypeName
  readonly paths: readonly string[]
  readonly options: ReadonlyMap<string, PathOptions>
  readonly isAdmin: boolean
  readonly withCount: boolean
}

/** The type of the related resources, and whether there may be many. */
function follow(type: TypeName, name: string): Readonly<{ to: TypeName; many: boolean }> {
  const to: unknown = Reflect.get(types[type], name)
  return { to: to as TypeName, many: !['parent', 'node'].includes(name) }
}

function planRequest({ pick, below, chance }: Random): IncludeRequest {
  const type = pick(['node', 'node', 'leaf', 'tag'] as const)
  const paths = Array.from({ length: 1 + below(2) }, () => {
    const names: string[] = []
    let at: TypeName = type
    for (let depth = 1 + below(3); depth > 0; depth -= 1) {
      const name: string = pick(Object.keys(types[at]))
      names.push(name)
      at = follow(at, name).to
    }
    return names.join('.')
  })
  const options = new Map<string, PathOptions>()
  for (const path of listPrefixes(paths)) {
    const names = path.split('.')
    const { to, many } = endOf(type, names)
    if (!many || chance(0.3)) continue
    options.set(path, {
      ...(chance(0.7) && { size: pick([1, 1, 2, 3, 7]) }),
      ...(chance(0.5) && { sort: planSort(to, { pick, below, chance }) }),
      ...(chance(0.3) && { filter: [planFilter({ pick, below, chance })] }),
    })
  }
  return { type, paths, options, isAdmin: chance(0.3), withCount: chance(0.3) }
}

function planSort(type: TypeName, { pick, below, chance }: Random): string {
  const terms = {
    node: ['name', 'rank', 'id', 'parent.name', 'children.count', 'parent.rank'],
    leaf: ['name', 'rank', 'id', 'node.rank', 'node.leaves.count'],
    tag: ['name', 'rank', 'id'],
  }[type]
  const chosen = Array.from({ length: 1 + below(2) }, () => pick(terms))
  return [...new Set(chosen)].map((term) => (chance(0.5) ? `-${term}` : term)).join(',')
}

function planFilter({ pick }: Random): NonNullable<PathOptions['filter']>[number] {
  return pick([
    { name: 'rank', op: 'ge', val: 0 },
    { name: 'rank', op: 'eq', val: 1 },
    { name: 'name', op: 'eq', val: 'a' },
    { name: 'id', op: 'lt', val: '9' },
  ] as const)
}

function listPrefixes(paths: readonly string[]): string[] {
  const all = paths.flatMap((path) =>
    path.split('.').map((_, at, names) => names.slice(0, at + 1).join('.')),
  )
  return [...new Set(all)]
}

function endOf(type: TypeName, names: readonly string[]): ReturnType<typeof follow> {
  let end = { to: type, many: false }
  for (const name of names) end = follow(end.to, name)
  return end
}

function writeUrl({ type, paths, options, withCount }: IncludeRequest): string {
  const query = new URLSearchParams({ include: paths.join(','), 'page[size]': '50' })
  if (withCount && type === 'node') query.set('withCount', 'children,leaves,tags')
  for (const [path, { size, sort, filter }] of options) {
    if (size !== undefined) query.set(`includePage[${path}][size]`, String(size))
    if (sort !== undefined) query.set(`includeSort[${path}]`, sort)
    if (filter) query.set(`includeFilter[${path}]`, JSON.stringify(filter))
  }
  return `/${{ node: 'nodes', leaf: 'leaves', tag: 'tags' }[type]}?${query}`
}

// The reference: what a document contains, from plain objects.

/** The rows that an identity may read. */
class Visible {
  readonly rows: readonly ForestRow[]
  readonly #forest: Forest

  constructor(forest: Forest, isAdmin: boolean) {
    this.#forest = forest
    this.rows = forest.rows.filter((row) => row.tenant === 1 && (isAdmin || row.secret === 0))
  }

  find(type: TypeName, id: number | null): ForestRow | undefined {
    return this.rows.find((row) => row.type === type && row.id === id)
  }

  /** The related rows, by id. */
  related(row: ForestRow, name: string): readonly ForestRow[] {
    const { taggings } = this.#forest
    const ofType = (type: TypeName) => this.rows.filter((each) => each.type === type)
    switch (name) {
      case 'parent':
      case 'node':
        return [this.find('node', row.parent)].filter((each) => each !== undefined)
      case 'children':
        return ofType('node').filter(({ parent }) => parent === row.id)
      case 'leaves':
        return ofType('leaf').filter(({ parent }) => parent === row.id)
      case 'tags':
        return ofType('tag').filter(({ id }) =>
          taggings.some(([node, tag]) => node === row.id && tag === id),
        )
      default:
        return ofType('node').filter(({ id }) =>
          taggings.some(([node, tag]) => node === id && tag === row.id),
        )
    }
  }

  /** The value of a sort term. */
  #valueOf(row: ForestRow, [name = '', ...rest]: readonly string[]): string | number | null {
    if (rest.length === 0) return name === 'id' ? row.id : row[name as 'name' | 'rank']
    if (rest[0] === 'count') return this.related(row, name).length
    const [other] = this.related(row, name)
    return other ? this.#valueOf(other, rest) : null
  }

  sort(rows: readonly ForestRow[], sort: string): readonly ForestRow[] {
    const terms = [...sort.split(','), 'id'].filter((term) => term !== '')
    return rows.toSorted((one, other) => {
      for (const term of terms) {
        const descending = term.startsWith('-')
        const path = (descending ? term.slice(1) : term).split('.')
        const order = compare(this.#valueOf(one, path), this.#valueOf(other, path))
        if (order !== 0) return descending ? -order : order
      }
      return 0
    })
  }
}

/** Null is the largest value; texts are compared by code point. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'number') return one - Number(other)
  return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
}

function matches(row: ForestRow, { name, op, val }: ReturnType<typeof planFilter>): boolean {
  const value = row[name as 'name' | 'rank' | 'id']
  if (value === null) return false
  const operand = name === 'id' ? Number(val) : val
  return op === 'eq' ? value === operand : op === 'ge' ? value >= operand : value < operand
}

/** The members of a relationship of a resource, as its document lists them. */
interface ExpectedMembers {
  readonly all: readonly ForestRow[]
  readonly listed: readonly ForestRow[]
  readonly options: PathOptions
}

const keyOf = ({ type, id }: Readonly<{ type: string; id: unknown }>) => `${type} ${id}`

/** What the document of a request contains. */
interface ExpectedDocument {
  /** The relationships to many by resource, then by name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, ExpectedMembers>>
  readonly included: ReadonlySet<string>
  /** The relationships that have pages for some resource, by type. */
  readonly paged: ReadonlySet<string>
}

function expectDocument(request: IncludeRequest, server: ForestServer): ExpectedDocument {
  const { type, paths } = request
  const visible = new Visible(server.forest, request.isAdmin)
  const primary = visible.rows.filter((row) => row.type === type)
  const members = new Map<string, Map<string, ExpectedMembers>>()
  const included = new Set<string>()
  const paged = new Set<string>()
  const ends = new Map<string, readonly ForestRow[]>([['', primary]])
  const edges = listPrefixes(paths)
  for (const path of edges) {
    const names = path.split('.')
    const starts = ends.get(names.slice(0, -1).join('.')) ?? []
    const name = names.at(-1) ?? ''
    const owner = endOf(type, names.slice(0, -1)).to
    const { many } = follow(owner, name)
    const options = withDefaults(request.options.get(path) ?? {}, server)
    if (many && Object.keys(options).length > 0) paged.add(`${owner} ${name}`)
    const reached = new Map<string, ForestRow>()
    for (const row of starts) {
      const ofRow = members.get(keyOf(row)) ?? new Map<string, ExpectedMembers>()
      members.set(keyOf(row), ofRow)
      if (!ofRow.has(name)) ofRow.set(name, listMembers(visible, row, name, many ? options : {}))
      for (const member of ofRow.get(name)?.listed ?? []) reached.set(keyOf(member), member)
    }
    ends.set(path, [...reached.values()])
    for (const key of reached.keys()) included.add(key)
  }
  for (const row of primary) included.delete(keyOf(row))
  return { members, included, paged }
}

function withDefaults(options: PathOptions, { declared: { include } }: ForestServer): PathOptions {
  if (include === undefined) return options
  const { size, sort } = include
  return { ...(size !== undefined && { size }), ...(sort !== undefined && { sort }), ...options }
}

function listMembers(
  visible: Visible,
  row: ForestRow,
  name: string,
  options: PathOptions,
): ExpectedMembers {
  const { size, sort = '', filter = [] } = options
  const found = visible
    .related(row, name)
    .filter((each) => filter.every((condition) => matches(each, condition)))
  const all = visible.sort(found, sort)
  return { all, listed: all.slice(0, size), options }
}

/** Sends one random request, and compares the document with the reference. Follows the links to the next pages of members. */
export async function compareRequest(server: ForestServer, random: Random): Promise<void> {
  const request = planRequest(random)
  const url = writeUrl(request)
  const label = `${decodeURIComponent(url)} ${request.isAdmin ? 'of an administrator' : ''}`
  const { status, document } = await server.get(url, request.isAdmin)
  assert.equal(status, 200, `${label} ${JSON.stringify(document)}`)
  const expected = expectDocument(request, server)
  assert.deepEqual(
    (document.included ?? []).map(keyOf).toSorted(),
    [...expected.included].toSorted(),
    `${label}: included`,
  )
  const visible = new Visible(server.forest, request.isAdmin)
  for (const resource of [...document.data, ...(document.included ?? [])])
    await compareResource(resource, { request, server, expected, visible, label })
}

interface Comparison {
  readonly request: IncludeRequest
  readonly server: ForestServer
  readonly expected: ExpectedDocument
  readonly visible: Visible
  readonly label: string
}

async function compareResource(resource: ResourceObject, comparison: Comparison): Promise<void> {
  const { request, server, expected, visible } = comparison
  const { type, id, relationships = {} } = resource
  for (const [name, { data, links, meta }] of Object.entries(relationships)) {
    const label = `${comparison.label}: ${keyOf(resource)} ${name}`
    if (!follow(type, name).many || !expected.paged.has(`${type} ${name}`)) continue
    const members = expected.members.get(keyOf(resource))?.get(name)
    const row = visible.find(type, Number(id))
    const isCounted = request.withCount && request.type === 'node' && type === 'node'
    const count = isCounted && row ? { count: visible.related(row, name).length } : {}
    if (members === undefined) {
      assert.equal(data, undefined, label)
      assert.deepEqual(meta ?? {}, count, label)
      continue
    }
    const { all, listed, options } = members
    const ids = (rows: readonly Readonly<{ id: unknown }>[]) => rows.map((each) => String(each.id))
    const found = Array.isArray(data) ? data : []
    assert.deepEqual(ids(found), ids(listed), label)
    const hasMore = all.length > listed.length
    assert.deepEqual(
      meta ?? {},
      {
        ...count,
        ...(options.filter && { filtered: true }),
        ...(options.size !== undefined && {
          page: {
            hasMore,
            ...('count' in count && !options.filter && { total: count.count }),
          },
        }),
      },
      label,
    )
    const { next } = links
    assert.equal(typeof next === 'string', hasMore, label)
    if (typeof next === 'string')
      assert.deepEqual(await readRest(server, next, request), ids(all.slice(listed.length)), label)
    if (typeof next === 'string' && next.includes('page%5Bafter%5D'))
      await compareContinued(name, next, ids(all), { ...comparison, label })
  }
}

/** Continues in the include of the resource itself, from page to page, and returns by the links to the pages before. */
async function compareContinued(
  name: string,
  first: string,
  all: readonly string[],
  { request: { isAdmin }, server, label }: Comparison,
): Promise<void> {
  const [address = ''] = first.split('/relationships/')
  let url: string | null | undefined = first
  for (let at = all.indexOf(await readStart(server, first, isAdmin)); url; ) {
    const query = new URL(url, 'http://localhost').searchParams
    const sent = new URLSearchParams({ include: name })
    for (const [from, to] of [
      ['page[size]', `includePage[${name}][size]`],
      ['page[after]', `includePage[${name}][after]`],
      ['sort', `includeSort[${name}]`],
      ['filter', `includeFilter[${name}]`],
    ] as const)
      if (query.has(from)) sent.set(to, query.get(from) ?? '')
    const { status, document } = await server.get(`${address}?${sent}`, isAdmin)
    assert.equal(status, 200, `${label} ${sent} ${JSON.stringify(document)}`)
    const [resource] = [document.data].flat()
    const { data, links } = resource?.relationships?.[name] ?? { links: {} }
    const members = [data ?? []].flat().map(({ id }) => id)
    assert.deepEqual(members, all.slice(at, at + members.length), `${label} ${sent}`)
    const before = await server.get(String(links.prev), isAdmin)
    const size = Number(query.get('page[size]'))
    const expected = all.slice(Math.max(0, at - size), at)
    const found = before.document.data.map(({ id }) => id)
    assert.deepEqual(found, expected, `${label} ${links.prev}`)
    at += members.length
    url = links.next
    assert.equal(typeof url === 'string', at < all.length, `${label} ${sent}`)
  }
}

/** The id of the first member of a page. */
async function readStart(server: ForestServer, url: string, isAdmin: boolean): Promise<string> {
  const { document } = await server.get(url, isAdmin)
  return document.data[0]?.id ?? ''
}

/** The ids of all further pages. */
async function readRest(
  server: ForestServer,
  first: string,
  { isAdmin }: IncludeRequest,
): Promise<string[]> {
  const ids: string[] = []
  for (let next: string | null | undefined = first; next; ) {
    const { status, document }: { status: number; document: Document } = await server.get(
      next,
      isAdmin,
    )
    assert.equal(status, 200, `${next} ${JSON.stringify(document)}`)
    ids.push(...document.data.map(({ id }) => id))
    next = document.links.next
  }
  return ids
}

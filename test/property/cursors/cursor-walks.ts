import assert from 'node:assert/strict'
import type { Random } from '../random-choices.ts'
import type { Document, ListServer } from './cursor-lists.ts'
import { stableItems } from './cursor-schemas.ts'

/** How a list is walked through. */
interface Walk {
  /** The address of the list, with its sort and its filter. */
  readonly address: string
  readonly size: number
  readonly way: 'forwards' | 'backwards' | 'ranges' | 'to and fro'
  /** Whether rows are inserted, deleted and moved meanwhile. */
  readonly changes: boolean
}

function planWalk({ terms: all }: ListServer, { pick, below, chance }: Random): Walk {
  const [path, terms] = pick([
    ['/items', all.item],
    ['/items', all.item],
    ['/items', all.item],
    ['/makers/1/items', all.item],
    ['/makers/2/relationships/items', all.item],
    ['/slots', all.slot],
    ['/items/3/slots', all.slot],
  ] as const)
  const sort = Array.from({ length: 1 + below(4) }, () => `${chance(0.5) ? '-' : ''}${pick(terms)}`)
  const filter = chance(0.2) && path === '/items' ? '&filter[maker__id]=2' : ''
  return {
    address: `${path}?sort=${sort.join(',')}${filter}`,
    size: pick([1, 1, 2, 3, 5, 8, 100]),
    way: pick(['forwards', 'backwards', 'ranges', 'to and fro']),
    changes: chance(0.5),
  }
}

/** Walks through one random list of a server. @throws AssertionError if a row is lost, repeated or in another place */
export async function walk(server: ListServer, random: Random): Promise<void> {
  const planned = planWalk(server, random)
  const { address, size, way, changes } = planned
  const label = JSON.stringify([planned, server.schema])
  const list = await readList(server, address)
  const visit = createVisitor(server, label, changes ? random : undefined)
  const start = `${address}&page[size]=${size}`
  const ids = await ways[way]({ visit, start, list, random })
  if (!changes) return assert.deepEqual(ids, list, label)
  const isStable = (id: string) => !(Number(id) > stableItems)
  assert.deepEqual(ids.filter(isStable), list.filter(isStable), label)
}

/** The ids of a list, in the order of its pages by number. */
export async function readList(server: ListServer, address: string): Promise<string[]> {
  const { status, document } = await server.send('GET', `${address}&page[size]=0`)
  assert.equal(status, 200, `${address} ${JSON.stringify(document)}`)
  return document.data.map(({ id }) => id)
}

/** Reads a page, and changes rows afterwards. */
type Visit = (url: string) => Promise<Document>

function createVisitor(server: ListServer, label: string, changes: Random | undefined): Visit {
  return async (url) => {
    const { status, document } = await server.send('GET', url)
    assert.equal(status, 200, `${label} ${url} ${JSON.stringify(document)}`)
    if (changes) await changeRow(server, changes)
    return document
  }
}

/** Inserts, deletes or moves an item that is not one of the stable ones, and is no maker's, whose items are counted. */
async function changeRow(server: ListServer, random: Random): Promise<void> {
  const id = String(stableItems + 1 + random.below(6))
  // A cursor follows a row whose keys are too long for it.
  const attributes = Object.fromEntries(
    Object.entries(server.drawItem(random)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, 500) : value,
    ]),
  )
  const data = { type: 'item', id, attributes }
  if (random.chance(0.3)) await server.send('DELETE', `/items/${id}`)
  else if ((await server.send('PATCH', `/items/${id}`, { data })).status === 404) {
    const created = await server.send('POST', '/items', { data })
    assert.equal(created.status, 201, JSON.stringify(created.document))
  }
}

/** What a way through a list needs. */
interface Journey {
  readonly visit: Visit
  /** The address of the list with a size. */
  readonly start: string
  readonly list: readonly string[]
  readonly random: Random
}

/** No walk has more pages. */
const maxPages = 300

const idsOf = ({ data }: Document): string[] => data.map(({ id }) => id)

/** Follows a link from page to page. */
async function follow(
  visit: Visit,
  first: Document,
  rel: 'prev' | 'next',
  add: (ids: string[]) => void,
): Promise<void> {
  let document = first
  for (let pages = 0; ; pages += 1) {
    assert.ok(pages < maxPages, `a walk has no end: ${document.links.self}`)
    add(idsOf(document))
    const url = document.links[rel]
    if (url === null || url === undefined) return
    document = await visit(url)
  }
}

const ways: Readonly<Record<Walk['way'], (journey: Journey) => Promise<string[]>>> = {
  async forwards({ visit, start }) {
    const ids: string[] = []
    const first = await visit(`${start}&page[total]=none`)
    assert.equal(first.links.prev, null)
    await follow(visit, first, 'next', (page) => ids.push(...page))
    return ids
  },

  async backwards({ visit, start }) {
    const ids: string[] = []
    const { links } = await visit(`${start}&page[total]=capped`)
    const last = await visit(String(links.last))
    assert.equal(last.links.next, null)
    await follow(visit, last, 'prev', (page) => ids.unshift(...page))
    return ids
  },

  /** Cuts the list at some of its rows, and reads the ranges between them; a range that is too long page by page. */
  async ranges({ visit, start, list, random }) {
    const ids: string[] = []
    const all = start.replace(/&page\[size\]=\d+/, '&page[size]=1000')
    const { data, links } = await visit(`${all}&page[cursors]=true`)
    const cuts = data.filter(() => random.chance(0.3))
    const cursorOf = ({ meta }: (typeof data)[number]) => meta?.page.cursor ?? ''
    if (list.length > 0) assert.notEqual(cursorOf(data[0] ?? { id: '' }), '')
    const end = new URL(String(links.last)).searchParams.get('page[before]') ?? ''
    for (const [index, cut] of [undefined, ...cuts].entries()) {
      const next = cuts[index]
      const after = cut ? `&page[after]=${cursorOf(cut)}` : ''
      let url: string | null = `${start}${after}&page[before]=${next ? cursorOf(next) : end}`
      if (cut) ids.push(cut.id)
      if (after === '') {
        const range: string[] = []
        await follow(visit, await visit(url), 'prev', (page) => range.unshift(...page))
        ids.push(...range)
        continue
      }
      for (let pages = 0; url !== null; pages += 1) {
        assert.ok(pages < maxPages, `a range has no end: ${url}`)
        const document: Document = await visit(url)
        ids.push(...idsOf(document))
        url = document.meta?.page?.rangeTruncated === true ? (document.links.next ?? null) : null
      }
    }
    return ids
  },

  /** Returns to the page before from each page: the way forwards has each row once nevertheless. */
  async 'to and fro'({ visit, start }) {
    const ids: string[] = []
    let document = await visit(`${start}&page[total]=none`)
    for (let pages = 0; ; pages += 1) {
      assert.ok(pages < maxPages, 'a walk has no end')
      ids.push(...idsOf(document))
      const { next } = document.links
      if (next === null || next === undefined) return ids
      const following = await visit(next)
      const back = following.links.prev
      assert.equal(typeof back, 'string')
      await visit(String(back))
      document = following
    }
  },
}

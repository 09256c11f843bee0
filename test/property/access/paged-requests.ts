import type { Random } from './random.ts'
import {
  randomComparison,
  randomFilter,
  randomId,
  randomPath,
  randomSort,
  type TestRequest,
} from './requests.ts'
import { nextOf, previousOf, relationshipsOf, type Type, types } from './schema.ts'

/** A cursor that a response has shown: the type and the sort that it belongs to. */
interface KnownCursor {
  readonly type: Type
  readonly sort: string
  readonly cursor: string
}

type Query = Record<string, string>

const sorts = [
  ...['id', 'name', '-rank', '-note', 'secret', 'loud', 'previous.count', '-info.place.word'],
  ...['next.name', '-next.note,name', 'next.secret', 'next.previous.count'],
]

/**
 * Draws reads of pages between cursors, and of pages of included resources. Their cursors are those that responses to the same
 * identity have shown before, on other addresses and with other filters, too.
 */
export class PagedRequests {
  readonly #random: Random
  readonly #cursors: KnownCursor[] = []
  readonly #links: string[] = []

  constructor(random: Random) {
    this.#random = random
  }

  draw(): TestRequest {
    const random = this.#random
    if (this.#links.length > 0 && random.chance(0.15)) return get(random.pick(this.#links))
    const known = this.#cursors.length > 0 && random.chance(0.6) ? random.pick(this.#cursors) : null
    if (known === null)
      return random.chance(0.5) ? this.#drawCursors() : this.#drawIncludes(random.pick(types))
    const more = this.#random.chance(0.5) ? this.#continueList : this.#continueInclude
    return more.call(this, known)
  }

  /** Keeps the cursors of a response. */
  note({ path }: TestRequest, response: string): void {
    if (!response.startsWith('200 ')) return
    for (const [, link = ''] of response.matchAll(
      /"(?:prev|next|last)":"(?:http:\/\/[^/"]*)?([^"]*page%5B(?:after|before)%5D=[^"]*)"/g,
    ))
      if (this.#links.length < 50) this.#links.push(link)
    const [, type, search] = /^\/(red|green|blue)\?(.*)$/.exec(path) ?? []
    const sort = new URLSearchParams(search).get('sort') ?? ''
    for (const [, cursor = ''] of response.matchAll(/"page":\{"cursor":"([^"]*)"/g))
      if (type !== undefined) this.#cursors.push({ type: type as Type, sort, cursor })
  }

  #sort(): string {
    return this.#random.chance(0.7) ? this.#random.pick(sorts) : randomSort(this.#random)
  }

  #filter(type: Type): object[] {
    const random = this.#random
    return [random.chance(0.5) ? randomComparison(random) : randomFilter(type, random, 2)]
  }

  #drawCursors(): TestRequest {
    const random = this.#random
    const type = random.pick(types)
    return write(`/${type}`, {
      ...(random.chance(0.8) && { sort: this.#sort() }),
      ...(random.chance(0.3) && { filter: JSON.stringify(this.#filter(type)) }),
      'page[cursors]': 'true',
      'page[total]': random.pick(['exact', 'capped', 'none']),
    })
  }

  /** Draws a read with the pages of the members of an include path. */
  #drawIncludes(type: Type): TestRequest {
    const random = this.#random
    const names = randomPath(type, random, 3)
    const query: Query = { include: names.join('.') }
    let at = type
    for (const [index, name] of names.entries()) {
      const { to = at, many = false } = relationshipsOf(at)[name] ?? {}
      at = to
      const path = names.slice(0, index + 1).join('.')
      if (many) Object.assign(query, this.#drawMembers(path, to))
    }
    if (random.chance(0.2)) query.withCount = 'previous'
    return write(random.chance(0.5) ? `/${type}` : `/${type}/${randomId(type, random)}`, query)
  }

  #drawMembers(path: string, to: Type): Query {
    const random = this.#random
    return {
      ...(random.chance(0.7) && { [`includePage[${path}][size]`]: random.pick(['1', '1', '2']) }),
      ...(random.chance(0.6) && { [`includeSort[${path}]`]: this.#sort() }),
      ...(random.chance(0.4) && {
        [`includeFilter[${path}]`]: JSON.stringify(this.#filter(to)),
      }),
    }
  }

  #continueList({ type, sort, cursor }: KnownCursor): TestRequest {
    const random = this.#random
    const [name, owner] = random.pick([
      ['previous', nextOf[type]],
      [undefined, type],
    ] as const)
    const path =
      name === undefined
        ? `/${type}`
        : `/${owner}/${randomId(owner, random)}${random.pick(['', '/relationships'])}/${name}`
    const other = random.chance(0.1) ? this.#sort() : sort
    return write(path, {
      ...(other !== '' && { sort: other }),
      ...(random.chance(0.4) && { filter: JSON.stringify(this.#filter(type)) }),
      [random.pick(['page[after]', 'page[before]'])]: cursor,
      'page[size]': random.pick(['1', '2', '10']),
      'page[total]': random.pick(['exact', 'none']),
      ...(random.chance(0.2) && { 'page[cursors]': 'true' }),
    })
  }

  #continueInclude({ type, sort, cursor }: KnownCursor): TestRequest {
    const random = this.#random
    const owner = nextOf[type]
    const path = random.chance(0.3) ? 'next.previous' : 'previous'
    const start = path === 'previous' ? owner : previousOf[owner]
    return write(`/${start}/${randomId(start, random)}`, {
      include: path,
      ...(sort !== '' && { [`includeSort[${path}]`]: sort }),
      [`includePage[${path}][after]`]: cursor,
      ...(random.chance(0.5) && { [`includePage[${path}][size]`]: '1' }),
      ...(random.chance(0.3) && {
        [`includeFilter[${path}]`]: JSON.stringify(this.#filter(type)),
      }),
    })
  }
}

function get(path: string): TestRequest {
  return { method: 'GET', path }
}

function write(path: string, query: Query): TestRequest {
  return get(`${path}?${new URLSearchParams(query)}`)
}

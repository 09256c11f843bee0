import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  array,
  attribute,
  bytes,
  date,
  datetime,
  decimal,
  defineModel,
  email,
  enumeration,
  integer,
  integer64,
  json,
  number,
  resource,
  type Store,
  text,
  time,
  toMany,
  toOne,
  url,
  uuid,
} from 'lapidary'
import { createPages } from 'lapidary/html'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { barePage } from '../chromium/scalar.ts'
import { type Database, databases } from '../databases.ts'
import { long, partOf } from '../long-tests.ts'
import type { OpenDatabase } from '../open-database.ts'
import { takePart } from '../property/seed.ts'
import { openSocket, request } from '../raw-socket.ts'
import { noTimeInCi } from '../read-count.ts'
import { type Host, hosts, type RunningHost } from './hosts.ts'

/** The limits of a request target, of the header fields and of a body, in bytes, without what is around the text of a client. */
const limits = { target: 32_000, field: 60_000, body: 1_000_000 } as const

/** The size of the response to a text four times as long may be so many times that of the shorter one. Quadratic ones are 16 times. */
const maxGrowth = 6
/** The same of the CPU time, which depends on caches and the collection of garbage, too: between 4, linear, and 16, quadratic. */
const maxSlowdown = 8
/** Less CPU time, in milliseconds, is not compared: of so little, the collection of garbage is a large part. */
const minTime = 150
/** Shorter responses are not compared, in bytes; and none to a request without a body is longer than the second number. */
const [minSize, maxSize] = [100_000, 1_000_000]

/** A field of each kind. */
const fieldsOfKinds = {
  ...{ text: attribute(text), email: attribute(email), url: attribute(url), uuid: attribute(uuid) },
  ...{ integer: attribute(integer), integer64: attribute(integer64()), number: attribute(number) },
  ...{ decimal: attribute(decimal()), enumeration: attribute(enumeration(['short', 'long'])) },
  ...{ date: attribute(date), datetime: attribute(datetime), time: attribute(time) },
  ...{ json: attribute(json), bytes: attribute(bytes) },
} as const

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: {
    text: attribute(text),
    size: attribute(integer),
    whole: toOne('note', { column: 'whole_id' }),
    parts: toMany('note', { column: 'whole_id' }),
    entries: toMany('entry', { column: 'note_id' }),
  },
})
const entry = resource('entry', {
  path: '/entries',
  table: 'entry',
  id: { client: 'optional' },
  fields: {
    ...fieldsOfKinds,
    texts: attribute(array(text)),
    padded: attribute(text),
    varying: attribute(text),
    note: toOne('note', { column: 'note_id' }),
    others: toMany('entry', { through: { table: 'pair', from: 'one_id', to: 'other_id' } }),
  },
})
const model = defineModel([note, entry])

function writeTables({ dialect, columnTypes }: Database): string {
  const isPostgres = dialect === 'postgres'
  const columns = Object.keys(fieldsOfKinds).map(
    (name) => `"${name}" ${columnTypes[name as keyof typeof fieldsOfKinds]}`,
  )
  return `create table note (id ${columnTypes.newId}, text text, size integer, whole_id integer references note (id));
    create index note_whole on note (whole_id);
    create table entry (id ${columnTypes.newId}, ${columns.join(', ')}, texts ${isPostgres ? 'text[]' : 'text'},
      padded char(8), varying varchar(8), note_id integer references note (id));
    create index entry_note on entry (note_id);
    create table pair (one_id integer not null references entry (id), other_id integer not null references entry (id),
      primary key (one_id, other_id));
    create index pair_other on pair (other_id);
    insert into note (text, size) values ('one', 1), ('two', 2), ('three', 3);`
}

/** A request with a text of a client somewhere. */
interface Sample {
  readonly method: string
  readonly target: string
  readonly fields?: readonly string[]
  readonly body?: string
}

/** A place for the texts of clients. */
interface Place {
  readonly name: string
  readonly limit: number
  /** What texts are made of: each of these is repeated. */
  readonly fillers: readonly string[]
  readonly samples: (text: string) => readonly Sample[]
}

// biome-ignore format: a list of texts
const inTargets = [
  'a', 'a/', '/', '%', '%20', '%C3%A9', '%FF', '.', 'a.', '..', ',', 'a,', '-a,', ':', '__', 'a=&', '&', 'filter[a]=&', 'filter[text]=a&',
  '[', '[]', '[1],', '{', '-', '0', '9', '(', '%22', '%5C', "'", '+', '<', '%25', '*', '%0A',
]
// biome-ignore format: a list of texts
const inFields = [
  ' ', '\t', ',', ', ', ';', ' ; ', 'a;', 'a,', '"', '\\', '="', '=', 'a=', 'a=;', '*', '/', '0', '9.', '-', ':', ':1', '.', 'text/html,',
  'a/b;q=1,', 'q=', '\xe9', 'W/"', 'W/"a",', '1-,', '%20', 'Bearer ', 'xn--', 'for=', '[', '::',
]
// biome-ignore format: a list of texts
const inBodies = [
  ' ', '0', '9', 'a', '.', '@', 'a@', 'a.', ':', '/', '-', '+', '=', 'é', '😀', '"', '\\', '\n', '[', '{', 'T', 'e', '%', '\u0001', "'",
]

const html = 'Accept: text/html'

/** A place in a path or in a query: the request is one for JSON, and one for a page. */
function inTarget(path: string): Place {
  return {
    ...{ name: path, limit: limits.target, fillers: inTargets },
    samples: (inserted) =>
      ['Accept: */*', html].map((accept) => ({
        ...{ method: 'GET', target: `/api${path.replace('…', () => inserted)}` },
        fields: [accept],
      })),
  }
}

function inPredicate(name: string, op: string): Place {
  const filter = (val: string) => encodeURI(JSON.stringify([{ name, op, val }]))
  return inTarget(`/notes?filter=${filter('…').replace(encodeURI('…'), () => '…')}`)
}

function inField(name: string): Place {
  const fields = (text: string) => [`${name}: a${text}b`]
  return {
    ...{ name: `the header field ${name}`, limit: limits.field, fillers: inFields },
    samples: (text) => [
      { method: 'GET', target: '/api/notes', fields: fields(text) },
      { method: 'GET', target: '/api/', fields: [html, ...fields(text)] },
      { method: 'GET', target: '/api/docs', fields: fields(text) },
      { method: 'OPTIONS', target: '/api/notes', fields: fields(text) },
      { method: 'PATCH', target: '/api/notes/1', fields: fields(text), body: patch },
    ],
  }
}

const patch = '{"data":{"type":"note","id":"1","attributes":{"size":1}}}'

/** A place in the document of a new resource, for texts that end with something else too. @param write - makes the document of a text */
function inBody(name: string, write: (text: string) => unknown): Place {
  return {
    ...{ name: `a body: ${name}`, limit: limits.body, fillers: inBodies },
    samples: (text) =>
      [text, `${text}!`].map((value) => ({
        ...{ method: 'POST', target: '/api/entries' },
        body: serialize(write(value)),
      })),
  }
}

/** A text as a raw body, anything else as JSON. */
const serialize = (document: unknown): string =>
  typeof document === 'string' ? document : JSON.stringify(document)

/** A list of members in a document, as many as its length allows. @param write - makes the document of a number of members */
function ofMembers(name: string, size: number, write: (count: number) => unknown): Place {
  return {
    ...{ name: `a body: ${name}`, limit: limits.body, fillers: ['a'] },
    samples: ({ length }) => [
      {
        ...{ method: 'POST', target: '/api/entries' },
        body: serialize(write(Math.floor(length / size))),
      },
    ],
  }
}

const create = (data: object): object => ({ data: { type: 'entry', ...data } })
const withAttributes = (attributes: object): object => create({ attributes })
const named = (count: number, value: unknown, prefix = 'x'): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [prefix + at, value]))
const list = (count: number, make: (at: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, at) => make(at))
const linked = (data: unknown): object => create({ relationships: { others: { data } } })

const places: readonly Place[] = [
  ...['/…', '/notes…', '/notes/…', '/notes/1/…', '/notes/1/relationships/…', '/%FF/…'].map(
    inTarget,
  ),
  ...['/notes?…', '/notes?…=1', '/notes/1?…', '/?…', '/nowhere?…', '/notes?filter=…'].map(inTarget),
  ...['filter[text]', 'filter[size]', 'filter[parts__text]', 'filter[…]', 'sort', 'include'].map(
    (name) => inTarget(name.includes('…') ? `/notes?${name}=1` : `/notes?${name}=…`),
  ),
  ...['withCount', 'fields[note]', 'fields[…]', 'page[size]', 'page[number]', 'page[…]'].map(
    (name) => inTarget(name.includes('…') ? `/notes?${name}=1` : `/notes?${name}=…`),
  ),
  ...['eq', 'like', 'ilike', 'startswith', 'match', '…'].map((op) => inPredicate('text', op)),
  ...['text', 'size', 'whole__id', '…'].map((name) => inPredicate(name, 'eq')),
  ...Object.keys(fieldsOfKinds).map((name) => inTarget(`/entries?filter[${name}]=…`)),
  ...['url', 'x'].map((name) => inTarget(`/html.explain?${name}=…`)),
  inTarget('/html.explain?url=/notes/…'),
  inTarget('/html.explain?url=/notes%3Ffilter[text]=…'),
  // biome-ignore format: a list of names
  ...[
    'Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Content-Type', 'Content-Encoding', 'Cookie', 'Expect', 'Forwarded',
    'Host', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Range', 'Range', 'Origin', 'Prefer', 'Referer', 'Sec-Fetch-Site', 'TE',
    'Traceparent', 'Transfer-Encoding', 'Connection', 'Upgrade', 'User-Agent', 'Via', 'X-API-Key', 'X-Forwarded-For', 'X-Forwarded-Host',
    'X-Forwarded-Proto', 'X-HTTP-Method-Override', 'X-Request-Id', 'Access-Control-Request-Method', 'Idempotency-Key', 'X-Other',
  ].map(inField),
  inBody('all of it', (part) => part),
  inBody('the type', (part) => ({ data: { type: part } })),
  inBody('the id', (id) => create({ id })),
  ...Object.keys({ ...fieldsOfKinds, padded: 0, varying: 0 }).map((name) =>
    inBody(`the attribute ${name}`, (value) => withAttributes({ [name]: value })),
  ),
  inBody('an element of an array', (value) => withAttributes({ texts: [value] })),
  inBody('the name of an attribute', (name) => withAttributes({ [name]: 1 })),
  inBody('the name of a relationship', (name) =>
    create({ relationships: { [name]: { data: null } } }),
  ),
  inBody('the name of a member', (name) => ({ ...create({}), [name]: 1 })),
  inBody('the id of a related resource', (id) =>
    create({ relationships: { note: { data: { type: 'note', id } } } }),
  ),
  inBody('the type of a related resource', (type) =>
    create({ relationships: { note: { data: { type, id: '1' } } } }),
  ),
  inBody('meta', (value) => ({ ...create({}), meta: { value } })),
  ofMembers('unknown attributes', 12, (count) => withAttributes(named(count, 1))),
  ofMembers('misspelt attributes', 14, (count) => withAttributes(named(count, 1, 'emal'))),
  ofMembers('unknown relationships', 24, (count) =>
    create({ relationships: named(count, { data: null }) }),
  ),
  ofMembers('malformed relationships', 12, (count) => create({ relationships: named(count, 1) })),
  ofMembers('unknown members of a resource', 12, (count) => create(named(count, 1))),
  ofMembers('unknown members', 12, (count) => ({ ...create({}), ...named(count, 1) })),
  ofMembers('malformed linkage', 2, (count) => linked(list(count, () => 1))),
  ofMembers('linkage of another type', 28, (count) =>
    linked(list(count, (at) => ({ type: 'note', id: `${at}` }))),
  ),
  ofMembers('linkage of an unknown type', 28, (count) =>
    linked(list(count, (at) => ({ type: 'x', id: `${at}` }))),
  ),
  ofMembers('invalid ids', 30, (count) =>
    linked(list(count, (at) => ({ type: 'entry', id: `x${at}` }))),
  ),
  ofMembers('ids of nothing', 30, (count) =>
    linked(list(count, (at) => ({ type: 'entry', id: `${at + 1e6}` }))),
  ),
  ofMembers('a repeated id', 27, (count) =>
    linked(list(count, () => ({ type: 'entry', id: '1' }))),
  ),
  ofMembers('elements of an array', 3, (count) => withAttributes({ texts: list(count, () => '') })),
  ofMembers('invalid elements of an array', 2, (count) =>
    withAttributes({ texts: list(count, () => 1) }),
  ),
  ofMembers('elements of a value', 2, (count) => withAttributes({ json: list(count, () => 1) })),
  ofMembers('members of a value', 12, (count) => withAttributes({ json: named(count, 1) })),
  ofMembers('resources', 20, (count) => ({ data: list(count, () => ({ type: 'entry' })) })),
  ofMembers(
    'a name that is repeated',
    6,
    (count) => `{"data":{"type":"entry","attributes":{${'"a":1,'.repeat(count)}"a":1}}}`,
  ),
  ofMembers('brackets', 1, (count) => '['.repeat(count)),
  ofMembers('digits', 1, (count) => '9'.repeat(count)),
]

/** The work that one request causes. */
interface Work {
  /** CPU time of the process in milliseconds, that of the client included. */
  readonly time: number
  /** The bytes of the response. */
  readonly size: number
}

/** Sends a request on a connection of its own, whatever it consists of. */
async function measure(
  origin: string,
  { method, target, fields = [], body }: Sample,
): Promise<Work> {
  const bytes = Buffer.from(body ?? '')
  const head = request(method, target, [
    'Connection: close',
    ...(body === undefined ? [] : [`Content-Length: ${bytes.length}`]),
    ...(body === undefined || /^content-type/i.test(fields[0] ?? '')
      ? []
      : ['Content-Type: application/vnd.api+json']),
    ...fields,
  ])
  const start = process.cpuUsage()
  const client = await openSocket(origin)
  client.send(Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
  const { length: size } = await client.closed()
  const { user, system } = process.cpuUsage(start)
  return { time: (user + system) / 1000, size }
}

async function measureBest(origin: string, sample: Sample, times: number): Promise<Work> {
  let best = await measure(origin, sample)
  for (let count = 1; count < times; count += 1) {
    const { time } = await measure(origin, sample)
    best = { ...best, time: Math.min(best.time, time) }
  }
  return best
}

/** Compares the work for a text with that for a quarter of it. @returns what is wrong; `undefined` if it is linear */
async function compare(
  origin: string,
  place: Place,
  filler: string,
  at: number,
): Promise<string | undefined> {
  // Within JSON a character may have six bytes.
  const isInBody = place.limit === limits.body
  const size = isInBody ? Buffer.byteLength(JSON.stringify(filler)) - 2 : filler.length
  const take = (length: number): Sample => {
    const sample = place.samples(filler.repeat(Math.floor(length / size)))[at]
    assert.ok(sample)
    return sample
  }
  const [full, quarter] = [take(place.limit), take(place.limit / 4)]
  const once = await measure(origin, full)
  const tells = (what: string) =>
    `${full.method} ${full.target.slice(0, 40)} with ${JSON.stringify(filler)} repeated: ${what}`
  if (full.body === undefined && once.size > maxSize)
    return tells(`a response of ${once.size} bytes`)
  if (once.time < minTime && once.size < minSize) return undefined
  for (const times of [2, 6]) {
    const [less, more] = [
      await measureBest(origin, quarter, times),
      await measureBest(origin, full, times),
    ]
    if (more.size > minSize && more.size > maxGrowth * less.size)
      return tells(`${more.size} bytes instead of ${less.size}`)
    if (more.time < minTime || more.time < maxSlowdown * less.time) return undefined
    if (times > 2) return tells(`${more.time} ms instead of ${less.time} ms`)
  }
  return undefined
}

async function openStore({ dialect }: Database, { url: address }: OpenDatabase): Promise<Store> {
  return dialect === 'postgres'
    ? openPostgres(model, address)
    : openSqlite(model, address.slice('sqlite:'.length))
}

/** @param isFirst - true for the host and the database that `npm test` tests */
function testHost(host: Host, database: Database, isFirst: boolean): void {
  const title = `The work for a text of a client, ${host.name} on ${database.name}`
  describe(title, isFirst ? {} : long, () => {
    let opened: OpenDatabase
    let store: Store
    let running: RunningHost
    before(async () => {
      opened = await database.create()
      store = await openStore(database, opened)
      await store.migrate([{ version: 1, sql: writeTables(database) }])
      running = await host.start({
        ...{ model, store, prefix: '/api', html: createPages({ explain: true }) },
        openapi: { docs: barePage },
      })
      for (const place of places) {
        const [first] = place.samples('a'.repeat(place.limit / 8))
        if (first) await measure(running.origin, first)
      }
    })
    after(async () => {
      await running.close()
      await store.close()
      await opened.remove()
    })

    for (const [at, place] of places.entries()) {
      const options = isFirst ? partOf(at, 4) : {}
      it(`grows no faster than its length: ${place.name}`, options, async () => {
        const wrong: string[] = []
        for (const filler of takePart(place.fillers, isFirst ? 8 : 24, at))
          for (const [index] of place.samples('').entries()) {
            const found = await compare(running.origin, place, filler, index)
            if (found !== undefined) wrong.push(found)
          }
        assert.deepEqual(wrong, [])
      })
    }
  })
}

// The hosts differ in what they read of a request, and the databases in what they do with its values.
for (const database of databases)
  for (const host of hosts)
    if (host === hosts[0] || (database === databases[0] && !noTimeInCi))
      testHost(host, database, host === hosts[0] && database === databases[0])

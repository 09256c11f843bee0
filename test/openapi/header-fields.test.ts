import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  action,
  attribute,
  createHandler,
  defineModel,
  idempotencyTable,
  resource,
  type Store,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'
import { atomicMediaType, mediaType } from '../../src/model/media-types.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    boss: toOne('person', { column: 'boss_id' }),
    staff: toMany('person', { column: 'boss_id' }),
    tickets: toMany('ticket', { column: 'author_id' }),
  },
  actions: {
    greet: action({ on: 'resource', dryRun: true, run: async () => {} }),
    all: action({ on: 'collection', dryRun: true, run: async () => {} }),
    first: action({ on: 'collection', returns: { resource: 'person' }, run: async () => '1' }),
    count: action({
      on: 'collection',
      returns: { meta: { n: text } },
      run: async () => ({ n: '' }),
    }),
  },
})
/** Clients may choose its ids. */
const ticket = resource('ticket', {
  path: '/tickets',
  table: 'ticket',
  id: { kind: uuid, client: 'optional' },
  fields: { title: attribute(text), author: toOne('person', { column: 'author_id' }) },
})
const model = defineModel([person, ticket], { atomic: true, principal: () => 'all' })

/** The id of the ticket of the tests. */
const known = '8e03978e-40d5-43e8-bc93-6894a57f9324'

/** Header fields with values that change the response where the field is read. */
const fields: Readonly<Record<string, string>> = {
  'If-Match': '"none"',
  'If-None-Match': '*',
  'Idempotency-Key': '""',
  Prefer: 'handling=strict, wait=30',
}

/** Fields that every response may have, of which tools know. */
const general = [
  ...['content-type', 'content-length', 'vary', 'cache-control', 'x-content-type-options', 'link'],
]

const tables = `
  create table person (id integer primary key, name text not null, boss_id integer references person (id) on delete set null);
  create index person_boss on person (boss_id);
  create table ticket (id text primary key, title text, author_id integer references person (id) on delete set null);
  create index ticket_author on ticket (author_id);
  insert into person (name) values ('Ada');
  insert into person (name, boss_id) values ('Bob', 1);
  insert into ticket (id, title, author_id) values ('${known}', 'a', 1);
  ${idempotencyTable}`

const eve = { data: { type: 'person', attributes: { name: 'Eve' } } }
const newTicket = { data: { type: 'ticket', id: known.replace('8', '9'), attributes: {} } }
/** The documents of requests, by their method and path. */
const documents: Readonly<Record<string, unknown>> = {
  'post /persons': eve,
  'post /persons/{id}/staff': eve,
  'patch /persons/{id}': { data: { ...eve.data, id: '1' } },
  'post /tickets': newTicket,
  'post /persons/{id}/tickets': newTicket,
  'patch /tickets/{id}': { data: { type: 'ticket', id: known, attributes: { title: 'b' } } },
  'post /operations': { 'atomic:operations': [{ op: 'add', data: eve.data }] },
}

function findDocument(method: string, path: string): unknown {
  if (!['post', 'patch', 'delete'].includes(method)) return undefined
  if (/relationships.(?:boss|author)$/.test(path)) return { data: { type: 'person', id: '1' } }
  if (/relationships.staff$/.test(path)) return { data: [{ type: 'person', id: '2' }] }
  if (/relationships.tickets$/.test(path)) return { data: [{ type: 'ticket', id: known }] }
  return documents[`${method} ${path}`]
}

type Fields = Readonly<Record<string, string>>

/** The parts of a response that the test compares. */
interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends requests, one after the other, to a database of their own. */
async function sendAll(
  { method, path }: DescribedOperation,
  requests: readonly Fields[],
): Promise<readonly Received[]> {
  const store: Store = openSqlite(model, ':memory:')
  try {
    await store.migrate([{ version: 1, sql: tables }])
    const handle = createHandler({ model, store })
    const document = method === 'query' ? {} : findDocument(method, path)
    const type = path === '/operations' ? atomicMediaType : mediaType
    const url = `http://x${path.replace('{id}', path.startsWith('/tickets') ? known : '1')}`
    const received: Received[] = []
    for (const sent of requests) {
      const headers = { 'content-type': method === 'query' ? 'application/json' : type, ...sent }
      const body = document === undefined ? {} : { body: JSON.stringify(document) }
      const request = new Request(url, { method: method.toUpperCase(), headers, ...body })
      const response = await handle(request)
      const text = await response.text()
      received.push({ status: response.status, headers: response.headers, text })
    }
    return received
  } finally {
    await store.close()
  }
}

interface DescribedOperation {
  readonly method: string
  readonly path: string
  /** The names of the header fields of requests. */
  readonly parameters: readonly string[]
  /** Returns the names of those of a response, in lower case. */
  readonly headersOf: (status: number) => readonly string[]
}

const { paths, components } = describeApi(model, { openapi: '3.2', generalMethods: true })

function resolve(value: object): Readonly<Record<string, unknown>> {
  const { $ref } = value as { $ref?: string }
  if ($ref === undefined) return { ...value }
  const [kind = '', name = ''] = $ref.split('/').slice(-2)
  return Object(components)[kind][name]
}

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]): DescribedOperation[] => {
    // Those of the path are not meant for OPTIONS.
    if (method === 'parameters' || method === 'options') return []
    const { parameters = [], responses } = Object(operation)
    const all = [...(Object(item).parameters ?? []), ...parameters].map(resolve)
    return [
      {
        ...{ method, path },
        parameters: all.flatMap(({ in: place, name }) =>
          place === 'header' ? [String(name)] : [],
        ),
        headersOf: (status) => {
          const found = responses[status] ?? responses[`${String(status)[0]}XX`]
          assert.ok(found, `${method} ${path} has no response ${status}`)
          return Object.keys(resolve(found).headers ?? {}).map((name) => name.toLowerCase())
        },
      },
    ]
  }),
)

function show(received: Received | undefined): string {
  return JSON.stringify([received?.status, [...(received?.headers.keys() ?? [])], received?.text])
}

/** Writes to what has no version: `If-Match` can hold as `*` only, which changes nothing. */
const withoutVersion =
  /^post \/(?:persons|tickets|operations|persons\/\{id\}\/(?:staff|tickets)|persons\/actions\/\w+)$/

describe('The description of header fields', () => {
  assert.ok(operations.length > 40, `${operations.length} operations`)
  for (const operation of operations)
    it(`of ${operation.method} ${operation.path} is what the service reads and sends`, async () => {
      const { method, path, headersOf, parameters } = operation
      const [[plain, again], ...changed] = await Promise.all([
        // The second create has an id that is taken.
        sendAll(operation, [{}, {}]),
        ...Object.entries(fields).map(([name, value]) =>
          sendAll(operation, [{ [name]: value }, { [name]: value }]),
        ),
      ])
      assert.ok(plain && plain.status < 300, String(plain?.text))
      const read = Object.keys(fields).filter((name, at) => {
        const isUseless = name === 'If-Match' && withoutVersion.test(`${method} ${path}`)
        return !isUseless && changed[at]?.map(show).join() !== [plain, again].map(show).join()
      })
      assert.deepEqual(parameters.toSorted(), read.toSorted())
      const key = { 'idempotency-key': '"a"', prefer: 'return=minimal' }
      const etag = plain.headers.get('etag') ?? '"none"'
      const others = await sendAll(operation, [
        key,
        key,
        { 'if-none-match': etag },
        { accept: `${mediaType};a=b` },
      ])
      for (const { status, headers } of [plain, ...changed.flat(), ...others]) {
        const described = [...general, ...headersOf(status)]
        const missing = [...headers.keys()].filter((name) => !described.includes(name))
        assert.deepEqual(missing, [], `${status}`)
      }
    })
})

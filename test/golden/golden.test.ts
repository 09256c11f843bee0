import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { createPages } from 'lapidary/html'
import { startServer } from '../../process/start-server.ts'
import { parseServiceSettings } from '../../service/settings.ts'
import { type Host, hosts, type RunningHost } from '../adapters/hosts.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { connect, type Exchange, mediaType } from '../client.ts'
import { type Database, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { long } from '../long-tests.ts'
import { statementsOf } from '../service/statements.ts'
import { model, readUser, tables } from './model.ts'
import { type GoldenRequest, requests } from './requests.ts'

/** Starts an adapter on the database at a URL. */
type Start = (databaseUrl: string) => Promise<RunningHost>

const options = { publicUrl: 'http://api.test', maxBody: 2000 }
const rootMeta = { version: '1', description: 'What the golden files show.' }
const title = 'Golden'

function startOn(host: Host): Start {
  return async (databaseUrl) => {
    const store = await openStore(model, databaseUrl)
    await store.verify()
    const running = await host.start({
      ...{ ...options, model, store, rootMeta, prefix: '/api', html: createPages() },
      openapi: { title },
      authenticateBy: readUser,
      credentialFields: ['x-user'],
    })
    const close = async () => {
      await running.close()
      await store.close()
    }
    return { origin: running.origin, close }
  }
}

/** The server of the service and of `lapidary serve`, which authenticates nobody. */
const startService: Start = async (databaseUrl) => {
  const settings = { ...parseServiceSettings(), ...options, databaseUrl, port: 0 }
  const service = await startServer(
    { model, title, rootMeta, onWarnings: () => {} },
    { ...settings, basePath: '/api', logLevel: 'silent', explain: 'off' },
  )
  return { origin: service.url, close: () => service.close() }
}

/** What differs from `createServer`, and nothing else. */
const differences = {
  /** Node.js itself answers an expectation that its server does not know, without a body. */
  expectations: (call: GoldenRequest['call']) => call.headers?.Expect !== undefined,
  /** Fastify reports a path that is not UTF-8 before it knows the route, as the application wants it. */
  invalidPaths: (host: string, path: string) =>
    host === 'a Fastify plugin' && path.includes('/%FF'),
  /** Only `createServer` has addresses for its health, and describes them. */
  description: '/openapi.json',
  /** These fields say that a response depends on who is authenticated. */
  withoutAuthentication: (answer: string) =>
    answer.replaceAll(/^(?:cache-control|vary): .*\n/gm, ''),
  /** The service links to the reference page, and has examples from rows in its description. */
  servicePaths: /^\/?(?:openapi\.json|docs)?$/,
} as const

/** Fields of the head that belong to the connection or to the host. */
const hostFields = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-powered-by',
])

/** A longer body is abridged to its beginning, its length and its hash. */
const longestBody = 6000

/** What a request got: its response and the statements that it ran, each as a section of a golden file. */
interface Recorded {
  readonly exchange: Exchange
  readonly answer: string
  readonly statements: string
}

/** Sends the requests, in order, to an adapter on a database of its own. */
async function record(
  database: Database,
  start: Start,
  sent: readonly GoldenRequest[],
): Promise<readonly Recorded[]> {
  const opened = await database.create()
  await opened.second?.execute(tables(database.columnTypes))
  const { origin, close } = await start(opened.url)
  const client = connect(origin)
  const recorded: Recorded[] = []
  for (const request of sent) {
    const { method, path, call } = request
    const exchanges: Exchange[] = []
    const statements = await statementsOf(async () => {
      exchanges.push(await client.send(method, `/api${path}`, call))
    })
    const [exchange] = exchanges
    assert.ok(exchange)
    const lines = statements.map(formatStatement)
    recorded.push({
      exchange,
      answer: formatSection(request, formatResponse(exchange)),
      statements: formatSection(request, lines),
    })
  }
  client.close()
  await close()
  await opened.remove()
  return recorded
}

const heading = ({ method, path }: GoldenRequest) => `### ${method} ${abridge(decode(path), 400)}`

function formatSection(request: GoldenRequest, lines: readonly string[]): string {
  const { headers = {}, body, raw = body === undefined ? '' : JSON.stringify(body) } = request.call
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : `> ${name}: ${value}`,
  )
  const sentBody = String(raw)
  return [
    heading(request),
    ...fields,
    ...(sentBody === '' ? [] : [`> ${abridge(sentBody, 1000)}`]),
    ...lines,
    '',
    '',
  ].join('\n')
}

function formatStatement(statement: string): string {
  // Before version 18 PostgreSQL folds case by ICU.
  return statement.replace(/\s+/g, ' ').replaceAll('"und-x-icu"', '"pg_unicode_fast"')
}

function formatResponse({ status, headers, text }: Exchange): readonly string[] {
  const fields = Object.entries(headers).filter(([name]) => !hostFields.has(name))
  const body = text
    // The id of an error of the server is random, and the folder of the files of the pages contains their hash.
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, (id) =>
      id.startsWith('00000000') ? id : '(id)',
    )
    .replaceAll(/\/html\.[0-9a-f]{12}\//g, '/html.(hash)/')
    // A cursor contains values as the database has them, and a version depends on it, too.
    .replaceAll(/(page%5B(?:after|before)%5D=|"cursor":")[\w-]{20,}/g, '$1(cursor)')
    .replaceAll(/ data-version="[^"]*"/g, ' data-version="(version)"')
  const differs = /\(cursor\)| data-version="\(version\)"/.test(body)
  return [
    String(status),
    // The version in an entity tag differs between databases.
    ...fields
      .map(([name, value]) => {
        if (differs && name === 'etag') return 'etag: (differs)'
        return `${name}: ${value.replace(/^"[\w-]{16}\./, '"(version).')}`
      })
      .sort(),
    ...(body === '' ? [] : ['', abridge(body, longestBody)]),
  ]
}

function abridge(text: string, length: number): string {
  if (text.length <= length) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `${text.slice(0, 300)}… ${text.length} characters, SHA-256 ${hash}`
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const toPath = (name: string) => join(import.meta.dirname, name)
const goldenFiles = new Map<string, readonly string[]>()

/** Reads the sections of a golden file. */
function readSections(name: string): readonly string[] {
  const sections = goldenFiles.get(name) ?? readFileSync(toPath(name), 'utf8').split(/^(?=### )/m)
  goldenFiles.set(name, sections)
  return sections
}

/** Tests that a golden file has these sections; with `--test-update-snapshots`, as `npm run golden` passes it, writes the file. */
function testFile(name: string, list: () => readonly string[]): void {
  it(`has the requests of ${name}; npm run golden writes it`, (test) => {
    const isHeading = (text: string) => text.startsWith('### ')
    test.assert.fileSnapshot(list().join(''), toPath(name), { serializers: [String] })
    assert.ok(readSections(name).every(isHeading))
  })
  for (const [index, request] of requests.entries())
    it(`${name}: ${heading(request)}`, () => assert.equal(list()[index], readSections(name)[index]))
}

const [reference, ...others] = hosts
assert.ok(reference)

for (const database of databases)
  describe(`Golden files: ${reference.name} · ${database.name}`, () => {
    let recorded: readonly Recorded[] = []
    before(async () => {
      recorded = await record(database, startOn(reference), requests)
    })
    testFile(`${database.dialect}.sql.txt`, () => recorded.map(({ statements }) => statements))
    testFile('http.txt', () => recorded.map(({ answer }) => answer))
    for (const [index, request] of requests.entries())
      it(`conforms to JSON:API: ${heading(request)}`, () => {
        const { exchange } = recorded[index] ?? {}
        assert.ok(exchange)
        if (exchange.headers['content-type'] === mediaType && !request.path.includes('%FF'))
          assertModelConforms(model, exchange, '/api')
      })
  })

const [sqlite] = databases
assert.ok(sqlite)

for (const host of others)
  describe(`Golden files: ${host.name}`, host.name === 'Express' ? long : {}, () => {
    let recorded: readonly Recorded[] = []
    before(async () => {
      recorded = await record(sqlite, startOn(host), requests)
    })
    for (const [index, request] of requests.entries())
      it(heading(request), () => {
        const answer = recorded[index]?.answer
        if (differences.expectations(request.call))
          assert.equal(answer, formatSection(request, ['417']))
        else if (differences.invalidPaths(host.name, request.path))
          assert.match(answer ?? '', /^400$/m)
        else if (request.path === differences.description) assert.match(answer ?? '', /^200$/m)
        else assert.equal(answer, readSections('http.txt')[index])
      })
  })

describe('Golden files: the server of the service', () => {
  const anonymous = requests.flatMap((request, index) =>
    request.call.headers?.['x-user'] === undefined ? [{ request, index }] : [],
  )
  let recorded: readonly Recorded[] = []
  before(async () => {
    const sent = anonymous.map(({ request }) => request)
    recorded = await record(sqlite, startService, sent)
  })
  for (const [position, { request, index }] of anonymous.entries())
    if (!differences.servicePaths.test(request.path))
      it(heading(request), () => {
        const { withoutAuthentication } = differences
        const answer = withoutAuthentication(recorded[position]?.answer ?? '')
        assert.equal(answer, withoutAuthentication(readSections('http.txt')[index] ?? ''))
      })
})

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Baseline, DocumentText, PersonAttributes, PersonList } from './baseline.ts'

/**
 * Creates the baseline: a program that is hand-written for the measured requests. It has no validation but of batches, no content
 * negotiation and no error handling. Its responses equal those of the service byte for byte.
 */
export function createBaselineServer(baseline: Baseline): Server {
  return createServer((request, response) => {
    if (request.method === 'GET') {
      send(response, read(request, baseline))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [chunk] = chunks
      const body = chunks.length === 1 && chunk ? chunk : Buffer.concat(chunks)
      write(request, response, JSON.parse(body.toString()), baseline)
    })
  })
}

/** Reads the document that a GET request targets. */
export function read({ url = '', headers }: IncomingMessage, baseline: Baseline): DocumentText {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  if (path.startsWith('/persons/')) {
    const id = path.slice('/persons/'.length)
    return query === '' ? baseline.getPerson(id) : baseline.getPersonWithComputers(id)
  }
  const parameters = parseQuery(query)
  const page = {
    url: `http://${headers.host}${path}`,
    parameters,
    number: Number(parameters.get('page[number]') ?? 1),
  }
  return path === '/persons'
    ? baseline.listPersons(parsePersonList(parameters), page)
    : baseline.listComputers(parameters.get('filter[owner__id]') ?? '', page)
}

function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  if (query === '') return parameters
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    parameters.set(
      decodeURIComponent(part.slice(0, equals)),
      decodeURIComponent(part.slice(equals + 1)),
    )
  }
  return parameters
}

function parsePersonList(parameters: ReadonlyMap<string, string>): PersonList {
  if (parameters.has('include')) return { is: 'included' }
  if (parameters.has('sort')) return { is: 'sorted' }
  if (parameters.has('fields[person]')) return { is: 'sparse' }
  const filter = parameters.get('filter')
  if (filter === undefined) return { is: 'all' }
  const [{ op, val }] = JSON.parse(filter)
  if (op === 'any') return { is: 'owning', value: val.val }
  return { is: op === 'ilike' ? 'anyCase' : 'contains', value: val }
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  // biome-ignore lint/suspicious/noExplicitAny: the baseline does not validate the body
  document: any,
  baseline: Baseline,
): void {
  if (request.url === '/operations') {
    const persons = readOperations(document)
    const results = baseline.createPersons(persons)
    if (typeof results === 'string') sendText(response, 200, atomicHeaders, results)
    else results.then((text) => sendText(response, 200, atomicHeaders, text))
    return
  }
  const { data } = document
  const [, , id = '', relationships] = (request.url ?? '').split('/')
  if (request.method === 'POST') {
    const { name, email = null, birth_date = null, gender = null } = data.attributes
    const created = baseline.createPerson({ name, email, birth_date, gender })
    if (created instanceof Promise) created.then((result) => sendCreated(response, result))
    else sendCreated(response, created)
  } else if (relationships === undefined) {
    send(response, baseline.renamePerson(id, data.attributes.name))
  } else {
    const computers = data.map((identifier: Readonly<{ id: string }>) => identifier.id)
    send(response, baseline.replaceComputers(id, computers))
  }
}

/** Reads the persons of a batch. Unlike the other bodies, it is validated: that is a large part of the work. */
function readOperations(document: unknown): readonly PersonAttributes[] {
  const { 'atomic:operations': operations } = document as Record<string, unknown>
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > 100)
    throw new Error('There must be 1 to 100 operations.')
  return operations.map(({ op, data }) => {
    if (op !== 'add' || data?.type !== 'person') throw new Error('The operation is not supported.')
    for (const name in data.attributes)
      if (!personAttributes.has(name)) throw new Error(`There is no attribute ${name}.`)
    const { name, email = null, birth_date = null, gender = null } = data.attributes
    if (typeof name !== 'string' || name.includes('\0')) throw new Error('The name is wrong.')
    for (const text of [email, gender])
      if (text !== null && (typeof text !== 'string' || text.includes('\0')))
        throw new Error('An attribute is wrong.')
    if (birth_date !== null && !isDate(birth_date)) throw new Error('The date is wrong.')
    return { name, email, birth_date, gender }
  })
}

const personAttributes: ReadonlySet<string> = new Set(['name', 'email', 'birth_date', 'gender'])

function isDate(text: unknown): boolean {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function send(response: ServerResponse, text: DocumentText): void {
  if (typeof text === 'string') sendText(response, 200, commonHeaders, text)
  else text.then((result) => sendText(response, 200, commonHeaders, result))
}

function sendCreated(response: ServerResponse, [text, id]: readonly [string, string]): void {
  sendText(response, 201, [...commonHeaders, 'location', `/persons/${id}`], text)
}

const atomicHeaders = [
  'content-type',
  'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"',
  'vary',
  'Accept',
] as const
const commonHeaders = ['content-type', 'application/vnd.api+json', 'vary', 'Accept'] as const

function sendText(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  text: string,
): void {
  const length = String(Buffer.byteLength(text))
  response.writeHead(status, [...headers, 'content-length', length])
  response.end(text)
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Baseline, DocumentText, PersonList } from './baseline.ts'

/**
 * Creates the baseline: a program that is hand-written for the measured requests. It has no validation, no content
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
  { data }: any,
  baseline: Baseline,
): void {
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

function send(response: ServerResponse, text: DocumentText): void {
  if (typeof text === 'string') sendText(response, 200, commonHeaders, text)
  else text.then((result) => sendText(response, 200, commonHeaders, result))
}

function sendCreated(response: ServerResponse, [text, id]: readonly [string, string]): void {
  sendText(response, 201, [...commonHeaders, 'location', `/persons/${id}`], text)
}

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

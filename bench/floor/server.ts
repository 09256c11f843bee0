import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Floor, PersonList, Told } from './tables.ts'

/**
 * The floor: a program written by hand for the very requests it is measured with. It validates nothing, negotiates
 * nothing and knows no faults; what it answers is what the service answers, byte for byte.
 */
export function floorServer(floor: Floor): Server {
  return createServer((request, response) => {
    if (request.method === 'GET') {
      answer(response, told(request, floor))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [chunk] = chunks
      const body = chunks.length === 1 && chunk ? chunk : Buffer.concat(chunks)
      write(request, response, JSON.parse(body.toString()), floor)
    })
  })
}

/** What is answered to a read. */
export function told({ url = '', headers }: IncomingMessage, floor: Floor): Told {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const search = mark === -1 ? '' : url.slice(mark + 1)
  if (path.startsWith('/persons/')) {
    const id = path.slice('/persons/'.length)
    return search === '' ? floor.person(id) : floor.personWithComputers(id)
  }
  const parameters = parametersOf(search)
  const page = {
    url: `http://${headers.host}${path}`,
    parameters,
    number: Number(parameters.get('page[number]') ?? 1),
  }
  return path === '/persons'
    ? floor.persons(listOf(parameters), page)
    : floor.computers(parameters.get('filter[owner__id]') ?? '', page)
}

function parametersOf(search: string): Map<string, string> {
  const parameters = new Map<string, string>()
  if (search === '') return parameters
  for (const part of search.split('&')) {
    const equals = part.indexOf('=')
    parameters.set(
      decodeURIComponent(part.slice(0, equals)),
      decodeURIComponent(part.slice(equals + 1)),
    )
  }
  return parameters
}

function listOf(parameters: ReadonlyMap<string, string>): PersonList {
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
  // biome-ignore lint/suspicious/noExplicitAny: whatever a body says, the floor trusts it
  { data }: any,
  floor: Floor,
): void {
  const [, , id = '', relationships] = (request.url ?? '').split('/')
  if (request.method === 'POST') {
    const { name, email = null, birth_date = null, gender = null } = data.attributes
    const written = floor.create({ name, email, birth_date, gender })
    if (written instanceof Promise) written.then((later) => created(response, later))
    else created(response, written)
  } else if (relationships === undefined) {
    answer(response, floor.rename(id, data.attributes.name))
  } else {
    const computers = data.map((each: Readonly<{ id: string }>) => each.id)
    answer(response, floor.replaceComputers(id, computers))
  }
}

function answer(response: ServerResponse, text: Told): void {
  if (typeof text === 'string') send(response, 200, everywhere, text)
  else text.then((later) => send(response, 200, everywhere, later))
}

function created(response: ServerResponse, [text, id]: readonly [string, string]): void {
  send(response, 201, [...everywhere, 'location', `/persons/${id}`], text)
}

const everywhere = ['content-type', 'application/vnd.api+json', 'vary', 'Accept'] as const

function send(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  text: string,
): void {
  const length = String(Buffer.byteLength(text))
  response.writeHead(status, [...headers, 'content-length', length])
  response.end(text)
}

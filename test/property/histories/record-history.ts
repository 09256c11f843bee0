import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { atomicExtension } from '../../../src/model/media-types.ts'
import { cardCount } from './boards.ts'
import { formatMembers, type Part, type Read, type State, type Write } from './check-history.ts'

/** The address of the server, which changes when it is started again. */
interface Address {
  readonly current: () => string
}

/** A response, or `undefined` if the connection ended before it. */
type Response = Readonly<{ status: number; etag: string; text: string }>

const batchType = `application/vnd.api+json;ext="${atomicExtension}"`

/** How many writers a history has, and how many writes each of them. */
const writers = 32

/** The clock of all clients: each event has a moment of its own. */
let clock = 0
let marks = 0

/** Records a history: writers that read and write the same boards at the same time, with conditions and keys or without. */
export class HistoryRecorder {
  readonly writes: RecordedWrite[] = []
  readonly reads: Read[] = []
  readonly #address: Address
  readonly #random: () => number
  readonly #agent = new Agent({ keepAlive: true })
  /** Two boards that stay, and one that is deleted. */
  readonly #boards: string[] = []
  #cards = 0

  constructor(address: Address, random: () => number) {
    this.#address = address
    this.#random = random
  }

  get boards(): readonly string[] {
    return this.#boards
  }

  async run(): Promise<void> {
    for (let index = 0; index < 3; index += 1) await this.#create()
    await Promise.all(Array.from({ length: writers }, () => this.#write()))
    for (const board of this.#boards)
      for (const is of ['board', 'members'] as const) await this.#read(board, is)
    this.#agent.destroy()
  }

  async #create(): Promise<void> {
    const [mark, key] = [nextMark(), nextMark()]
    const write = startWrite([{ is: 'create', board: '', mark }], key)
    const body = { data: { type: 'board', attributes: { title: mark } } }
    await this.#settle(write, { method: 'POST', path: '/boards', body })
    const id = JSON.parse(write.responses[0]?.text ?? '').data.id
    this.#boards.push(id)
    this.writes.push({ ...write, parts: [{ is: 'create', board: id, mark }] })
  }

  async #write(): Promise<void> {
    await pause(Math.floor(this.#random() * 20))
    const isBatch = this.#random() < 0.2
    const boards = isBatch ? this.#boards.slice(0, 2) : [this.#choose(this.#boards)]
    const parts: Part[] = []
    for (const board of boards) parts.push(await this.#choosePart(board, isBatch))
    if (parts.some(({ board }) => board === '')) return
    const key = this.#random() < 0.5 ? nextMark() : undefined
    const write = startWrite(parts, key)
    this.writes.push(write)
    const sent = isBatch ? toBatch(parts) : toRequest(parts[0] as Part)
    if (key !== undefined) {
      const times = this.#random() < 0.3 ? 2 : 1
      await Promise.all(Array.from({ length: times }, () => this.#settle(write, sent)))
      if (this.#random() < 0.2) await this.#settle(write, sent)
      return
    }
    const isAborted = this.#random() < 0.1
    const begin = tick()
    const response = await this.#send({ ...sent, isAborted })
    if (response && response.status < 500) finish(write, response, begin)
  }

  /** Repeats a write with a key until there is a response. */
  async #settle(write: RecordedWrite, sent: Sent): Promise<void> {
    for (let tries = 0; tries < 3000; tries += 1) {
      const isAborted = tries === 0 && this.#random() < 0.1
      const begin = tick()
      const response = await this.#send({ ...sent, key: write.key, isAborted })
      if (response && response.status < 500 && response.status !== 409)
        return finish(write, response, begin)
      if (response === undefined) write.hasUnanswered = true
      await pause(10)
    }
    throw new Error('A write with a key got no response.')
  }

  async #choosePart(board: string, isBatch: boolean): Promise<Part> {
    const kinds = ['title', 'note', 'call', 'replace', 'add', 'remove', 'delete'] as const
    const isLast = board === this.#boards[2]
    const is = this.#choose(kinds.slice(0, isBatch ? 5 : isLast ? 7 : 6))
    const needsState = is === 'remove' || this.#random() < 0.6
    const kind = is === 'replace' || is === 'add' || is === 'remove' ? 'members' : 'board'
    const state = needsState ? await this.#read(board, kind) : undefined
    const mark = is === 'remove' ? this.#choose(state?.value.split(',') ?? ['']) : this.#mark(kind)
    if ((needsState && state === undefined) || (is === 'remove' && mark === ''))
      return { is, board: '', mark }
    const isConditional = state !== undefined && (is !== 'remove' || this.#random() < 0.5)
    return {
      ...{ is, board, mark: is === 'delete' ? '' : mark },
      ...(isConditional && { seen: state }),
    }
  }

  #mark(kind: Read['is']): string {
    if (kind === 'board') return nextMark()
    this.#cards += 1
    if (this.#cards > cardCount) throw new Error('A history has more writes than cards.')
    return String(this.#cards)
  }

  async #read(board: string, is: Read['is']): Promise<State | undefined> {
    const begun = tick()
    const path = is === 'board' ? `/boards/${board}` : `/boards/${board}/relationships/cards`
    let response: Response | undefined
    for (let tries = 0; tries < 3000 && (!response || response.status >= 500); tries += 1) {
      if (tries > 0) await pause(10)
      response = await this.#send({ method: 'GET', path })
    }
    const end = tick()
    const state = response?.status === 200 ? readState(response, is, begun, end) : undefined
    this.reads.push({ board, is, state, begin: begun, end })
    return state
  }

  #choose<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice
  }

  #send({
    method,
    path,
    body,
    type,
    ifMatch,
    key,
    isAborted,
  }: Sent): Promise<Response | undefined> {
    const origin = this.#address.current()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      'content-type': type ?? 'application/vnd.api+json',
      ...(type !== undefined && { accept: type }),
      ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    return new Promise((resolve) => {
      const outgoing = request(origin + path, { agent: this.#agent, method, headers })
      outgoing.on('error', () => resolve(undefined))
      outgoing.on('response', (incoming) => {
        let received = ''
        incoming.on('data', (chunk) => {
          received += chunk
        })
        incoming.on('error', () => resolve(undefined))
        incoming.on('end', () => {
          const { statusCode: status = 0, headers: fields } = incoming
          resolve({ status, etag: String(fields.etag ?? ''), text: received })
        })
      })
      outgoing.end(text)
      if (isAborted) setTimeout(() => outgoing.destroy(), this.#random() * 10)
    })
  }
}

/** A request. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
  readonly ifMatch?: string | undefined
  readonly key?: string | undefined
  readonly isAborted?: boolean
}

function tick(): number {
  clock += 1
  return clock
}

function nextMark(): string {
  marks += 1
  return `m${marks}`
}

/** A write whose responses arrive. */
interface RecordedWrite extends Write {
  readonly responses: Write['responses'][number][]
  hasUnanswered?: boolean
}

function startWrite(parts: readonly Part[], key: string | undefined): RecordedWrite {
  return { parts, key, begin: tick(), responses: [] }
}

function finish(write: RecordedWrite, { status, text }: Response, begin: number): void {
  write.responses.push({ status, text, begin, end: tick() })
}

function readState({ etag, text }: Response, is: Read['is'], begin: number, end: number): State {
  const { data } = JSON.parse(text)
  const version = etag.slice(1).split('.')[0] ?? ''
  const value =
    is === 'members'
      ? formatMembers(data.map((each: { id: string }) => each.id))
      : JSON.stringify([data.attributes.title, data.attributes.note])
  return { value, version, begin, end }
}

const identify = (id: string) => ({ type: 'board', id })
const cardOf = (mark: string) => [{ type: 'card', id: mark }]

/** Makes a request of a part. */
function toRequest({ is, board, mark, seen }: Part): Sent {
  const path = `/boards/${board}`
  const ifMatch = seen && `"${seen.version}"`
  const members = { path: `${path}/relationships/cards`, body: { data: cardOf(mark) }, ifMatch }
  if (is === 'replace') return { method: 'PATCH', ...members }
  if (is === 'add') return { method: 'POST', ...members }
  if (is === 'remove') return { method: 'DELETE', ...members }
  if (is === 'delete') return { method: 'DELETE', path, ifMatch }
  if (is === 'call')
    return {
      method: 'POST',
      path: `${path}/actions/rename`,
      body: { meta: { title: mark } },
      ifMatch,
    }
  const data = { ...identify(board), attributes: { [is]: mark } }
  // PostgreSQL writes in one statement if the response has no members.
  const query = is === 'note' ? '?fields[board]=title,note' : ''
  return { method: 'PATCH', path: path + query, body: { data }, ifMatch }
}

/** Makes one request of several parts. */
function toBatch(parts: readonly Part[]): Sent {
  const operations = parts.map(({ is, board, mark, seen }) => {
    const meta = seen && { meta: { ifMatch: seen.version } }
    const members = {
      ref: { ...identify(board), relationship: 'cards' },
      data: cardOf(mark),
      ...meta,
    }
    if (is === 'replace') return { op: 'update', ...members }
    if (is === 'add') return { op: 'add', ...members }
    if (is === 'call')
      return {
        ...{ op: 'update', href: `/boards/${board}/actions/rename` },
        ...{ data: { meta: { title: mark } }, ...meta },
      }
    const data = { ...identify(board), attributes: { [is]: mark } }
    return { op: 'update', data, ...meta }
  })
  return {
    method: 'POST',
    path: '/operations',
    body: { 'atomic:operations': operations },
    type: batchType,
  }
}

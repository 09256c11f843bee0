import { connect, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openDatabases } from '../databases/open.ts'
import { startServerProcess } from '../processes.ts'
import { hashNumber, makeComputerRow, makePersonRow } from '../seed-data.ts'
import { compareSamples, computeSpread } from '../statistics.ts'
import { userGroup } from './access-server.ts'

/**
 * Compares the response times for ids of rows that the identity may not read with those of ids that do not exist. Their responses are equal.
 * `node bench/access/access-timing.ts [--database sqlite,postgres] [--tries 10000] [--persons 1000]
 * [--probes PATCH,DELETE] [--concurrently] [--at-once]`. `--probes` has parts of the titles below. `--concurrently` runs all probes
 * at the same time, each on a connection of its own, because a delayed response mostly waits. `--at-once` turns the delay off.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    tries: { type: 'string', default: '10000' },
    persons: { type: 'string', default: '1000' },
    probes: { type: 'string', default: '' },
    concurrently: { type: 'boolean', default: false },
    'at-once': { type: 'boolean', default: false },
  },
})
const tries = Number(values.tries)
const persons = Number(values.persons)
const mediaType = 'application/vnd.api+json'

/** The group whose rows are hidden, and the one whose rows are deleted before. */
const [hiddenGroup, absentGroup] = ['male', 'non-binary']

/** Ids of rows in each state, of equal length, so that requests and responses have equal sizes. */
interface Ids {
  readonly readable: readonly number[]
  readonly hidden: readonly number[]
  readonly absent: readonly number[]
}

function listIds(last: number, groupOf: (id: number) => string | null): Ids {
  const first = 10 ** (String(last - 1).length - 1)
  const all = Array.from({ length: last - first }, (_, index) => first + index)
  const ofGroup = (group: string) => all.filter((id) => groupOf(id) === group)
  return {
    readable: ofGroup(userGroup),
    hidden: ofGroup(hiddenGroup),
    absent: ofGroup(absentGroup),
  }
}

const personIds = listIds(persons, (id) => makePersonRow(id)[4])
const computerIds = listIds(persons * 5, (id) => makePersonRow(makeComputerRow(id, persons)[2])[4])

/** A request about an id. `readable` is the id of another row, which the identity may read. */
interface Probe {
  readonly title: string
  readonly ids: Ids
  readonly request: (id: number, readable: number) => readonly [string, string, unknown?]
  /** The status of every response. Default 404. */
  readonly status?: number
}

const computer = (id: number, rest: object = {}) => ({
  data: { type: 'computer', id: String(id), ...rest },
})
const owner = (id: number) => ({ data: { type: 'person', id: String(id) } })

// biome-ignore format: a table, one probe a row
const probes: readonly Probe[] = [
  { title: 'GET, a rule on a column', ids: personIds, request: (id) => ['GET', `/persons/${id}`] },
  { title: 'GET, a rule on the owner', ids: computerIds, request: (id) => ['GET', `/computers/${id}`] },
  { title: 'GET with include', ids: personIds, request: (id) => ['GET', `/persons/${id}?include=computers`] },
  { title: 'GET of related resources', ids: personIds, request: (id) => ['GET', `/persons/${id}/computers`] },
  { title: 'PATCH', ids: computerIds, request: (id) => ['PATCH', `/computers/${id}`, computer(id, { attributes: { serial: 'x' } })] },
  { title: 'DELETE', ids: computerIds, request: (id) => ['DELETE', `/computers/${id}`] },
  { title: 'PATCH of its relationship', ids: computerIds, request: (id) => ['PATCH', `/computers/${id}/relationships/owner`, { data: null }] },
  { title: 'POST to its relationship', ids: personIds, request: (id, readable) => ['POST', `/persons/${id}/relationships/computers`, { data: [computer(readable).data] }] },
  { title: 'a link to it', ids: personIds, request: (id, readable) => ['PATCH', `/computers/${readable}/relationships/owner`, owner(id)] },
  { title: 'a link to it, of many', ids: computerIds, request: (id, readable) => ['POST', `/persons/${readable}/relationships/computers`, { data: [computer(id).data] }] },
  { title: 'the removal of it, of many', ids: computerIds, request: (id, readable) => ['DELETE', `/persons/${readable}/relationships/computers`, { data: [computer(id).data] }], status: 200 },
]

/** Whether the option `--probes` names a probe; without it all run. */
function isSelected({ title }: Probe): boolean {
  return values.probes.split(',').some((part) => title.includes(part))
}

/** The kinds of probed ids. Absent ids are drawn twice: their difference is the noise. */
const kinds = ['hidden', 'absent', 'control'] as const
type Times = Readonly<Record<(typeof kinds)[number], number[]>>

async function measure(
  port: number,
  { title, ids, request, status: expected = 404 }: Probe,
): Promise<Times> {
  const socket = await openSocket(port)
  const times: Times = { hidden: [], absent: [], control: [] }
  const readableIds =
    title.endsWith('of many') || !title.startsWith('a link') ? personIds : computerIds
  const others = title === 'POST to its relationship' ? computerIds : readableIds
  const pick = (list: readonly number[], attempt: number, salt: number) =>
    list[hashNumber(attempt, salt) % list.length] ?? 0
  const warmUp = Math.min(values['at-once'] ? 2000 : 500, tries)
  for (let attempt = -warmUp; attempt < tries; attempt += 1) {
    // The order changes at random, so that no kind always follows the same one.
    const order = kinds.toSorted(() => Math.random() - 0.5)
    for (const [position, kind] of order.entries()) {
      const list = kind === 'hidden' ? ids.hidden : ids.absent
      const id = pick(list, attempt + warmUp, 20 + position)
      const [method, target, body] = request(id, pick(others.readable, attempt + warmUp, 30))
      const encoded = encodeRequest(method, target, body)
      const start = process.hrtime.bigint()
      const status = await send(socket, encoded)
      const elapsed = Number(process.hrtime.bigint() - start) / 1000
      if (status !== expected)
        throw new Error(`${method} ${target}: ${status} instead of ${expected}`)
      if (attempt >= 0) times[kind].push(elapsed)
    }
  }
  socket.destroy()
  return times
}

function encodeRequest(method: string, target: string, body: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const content =
    body === undefined
      ? ''
      : `Content-Type: ${mediaType}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  return Buffer.from(
    `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${mediaType}\r\n${content}\r\n${text}`,
  )
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends a request and waits for its response. @returns its status */
function send(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let received = ''
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
      if (received.length < head + 4 + length) return
      socket.removeListener('data', onData)
      resolve(Number(received.slice(9, 12)))
    }
    socket.on('data', onData)
    socket.write(request)
  })
}

/** Deletes the persons of the absent group, and their computers. */
async function deleteAbsent(database: string): Promise<void> {
  const statements = [
    `delete from computer where person_id in (select id from person where gender = '${absentGroup}')`,
    `delete from person where gender = '${absentGroup}'`,
  ]
  const path = /^sqlite:(.*)$/s.exec(database)?.[1]
  if (path !== undefined) {
    const connection = new DatabaseSync(path)
    for (const statement of statements) connection.exec(statement)
    connection.close()
    return
  }
  const client = new Client({ connectionString: database })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.query('vacuum analyze')
  await client.end()
}

function formatRow(engine: string, { title }: Probe, times: Times): string {
  const spread = (kind: keyof Times) => {
    const { median, low, high } = computeSpread(times[kind])
    return { text: `${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)})`, median }
  }
  const [hidden, absent] = [spread('hidden'), spread('absent')]
  const compared = compareSamples(times.hidden, times.absent)
  const noise = compareSamples(times.control, times.absent)
  return `| ${[
    ...[engine, title, hidden.text, absent.text, (hidden.median / absent.median).toFixed(3)],
    ...[compared.effect.toFixed(3), compared.z.toFixed(1)],
    ...[noise.effect.toFixed(3), noise.z.toFixed(1)],
  ].join(' | ')} |`
}

console.log(
  '| database | request | hidden, µs | absent, µs | ratio | effect | z | effect of absent twice | z |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
)
for (const engine of values.database.split(',')) {
  const databases = await openDatabases(engine)
  try {
    const url = await databases.copy(persons, 'timing')
    await deleteAbsent(url)
    const name = values['at-once'] ? 'access-probes-at-once' : 'access-probes'
    const server = await startServerProcess(name, url)
    try {
      const run = async (probe: Probe) =>
        console.log(formatRow(engine, probe, await measure(server.port, probe)))
      const selected = probes.filter(isSelected)
      if (values.concurrently) await Promise.all(selected.map(run))
      else for (const probe of selected) await run(probe)
    } finally {
      await server.stop()
    }
  } finally {
    await databases.close()
  }
}

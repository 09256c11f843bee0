import { Agent, type AgentOptions, request } from 'node:http'
import { mediaType } from '../client.ts'
import { executeDirectly } from './direct-database.ts'
import { until } from './processes.ts'

/** The results of writes, by the unique names of their persons. */
export interface WriteLog {
  /** The response was 201. */
  readonly acknowledged: Set<string>
  /** The response was another one: its status and body. */
  readonly rejected: Map<string, string>
  /** The connection ended without a response. */
  readonly unanswered: Set<string>
  /** There was no response and no end of the connection before the timeout of the client. */
  readonly hanging: Set<string>
}

/** Milliseconds after which a request counts as hanging. */
const timeout = 30_000

/** The clients that write. */
interface Writers {
  /** The number of concurrent clients. */
  readonly clients: number
  /** The beginning of each name. Groups of clients that write to one service need different ones. */
  readonly prefix?: string
  /** Options of the connections, which are kept open by default. */
  readonly agent?: AgentOptions
}

/** Creates persons one after the other on several connections, until it is stopped. */
export async function writeUntil(
  url: string,
  stop: AbortSignal,
  { clients, prefix = '', agent = { keepAlive: true } }: Writers,
): Promise<WriteLog> {
  const log: WriteLog = {
    acknowledged: new Set(),
    rejected: new Map(),
    unanswered: new Set(),
    hanging: new Set(),
  }
  const client = async (_: unknown, number: number) => {
    const own = new Agent({ ...agent, maxSockets: 1 })
    for (let each = 0; !stop.aborted; each += 1)
      await write(url, `${prefix}${number}-${each}`, own, log)
    own.destroy()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return log
}

/** Waits until more than so many writes are stored. */
export function writesStored(databaseUrl: string, writes = 20): Promise<void> {
  const isLoaded = async () => {
    const [row] = await executeDirectly(databaseUrl, 'select count(*) as stored from person')
    return Number(row?.stored) > writes
  }
  return until(isLoaded, 'nothing is written')
}

function write(url: string, name: string, agent: Agent, log: WriteLog): Promise<void> {
  const body = JSON.stringify({ data: { type: 'person', attributes: { name } } })
  const headers = { accept: mediaType, 'content-type': mediaType }
  return new Promise((resolve) => {
    const outgoing = request(`${url}/persons`, { method: 'POST', agent, headers })
    const end = (note: () => void) => {
      clearTimeout(timer)
      note()
      // Pauses before the next attempt if the port is closed.
      setTimeout(resolve, 1)
    }
    const timer = setTimeout(() => {
      end(() => log.hanging.add(name))
      outgoing.destroy()
    }, timeout)
    outgoing.once('error', () => end(() => log.unanswered.add(name)))
    outgoing.once('response', (incoming) => {
      incoming.setEncoding('utf8')
      let text = ''
      incoming.on('data', (piece: string) => {
        text += piece
      })
      incoming.once('error', () => end(() => log.unanswered.add(name)))
      incoming.once('end', () =>
        end(() => {
          if (incoming.statusCode === 201) log.acknowledged.add(name)
          else log.rejected.set(name, `${incoming.statusCode} ${text}`)
        }),
      )
    })
    outgoing.end(body)
  })
}

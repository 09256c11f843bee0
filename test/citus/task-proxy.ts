import { openProxy } from '../failures/proxy.ts'

/** A proxy for a coordinator, which collects the statements that it sends to the shards of tables. */
export interface TaskProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** The statements since the last call. */
  tasks(): string[]
  close(): Promise<void>
}

/** The notices by which Citus reports a statement that it sends to a worker; commands of transactions are not counted. */
const notice = /issuing ((?:select|insert|update|delete|with)\b[^\0]*)/gi

/** Starts a proxy for a database, whose sessions report the statements. */
export async function proxyTasks(database: string): Promise<TaskProxy> {
  let seen = ''
  const { url, close } = await openProxy(database, (_client, server) => {
    server.on('data', (piece: Buffer) => {
      seen += piece.toString('latin1')
    })
  })
  const options = '-c citus.log_remote_commands=on -c client_min_messages=notice'
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${options}`.trim())
  const tasks = () => {
    const found = [...seen.matchAll(notice)].map(([, sql = '']) => sql)
    seen = ''
    return found
  }
  return { url: String(url), tasks, close }
}

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

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
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  let seen = ''
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    for (const socket of [client, behind]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          behind.destroy()
        })
    }
    behind.on('data', (piece: Buffer) => {
      seen += piece.toString('latin1')
    })
    client.pipe(behind).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(database)
  url.port = String(typeof address === 'object' ? address?.port : '')
  const options = '-c citus.log_remote_commands=on -c client_min_messages=notice'
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${options}`.trim())
  return {
    url: String(url),
    tasks: () => {
      const tasks = [...seen.matchAll(notice)].map(([, sql = '']) => sql)
      seen = ''
      return tasks
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startService } from '../service/start-service.ts'
import { accessServers, startAccessServer } from './access/access-server.ts'
import type { Baseline } from './baseline/baseline.ts'
import { createFastifyServer } from './baseline/fastify-server.ts'
import { openPostgresBaseline } from './baseline/postgres.ts'
import { createBaselineServer } from './baseline/server.ts'
import { openSqliteBaseline } from './baseline/sqlite.ts'
import { peers } from './peers.ts'

/** A server that listens on 127.0.0.1. */
interface RunningServer {
  readonly port: number
  close(): Promise<void>
}

/** The modules that export `startService`: the present one, and that of version 0.1. */
const serviceModules = ['service/start-service.ts', 'service/start.ts']

/**
 * Starts a server in this process.
 * @param name - `service`, `baseline`, `baseline-fastify`, one of `accessServers`, a peer, or the folder of another version of the project
 * @param database - `sqlite:<path>` or `postgres://…`
 */
export async function startServer(name: string, database: string): Promise<RunningServer> {
  if (name === 'service') return startVersion(database, startService)
  if (name === 'baseline') return startBaseline(database)
  if (name === 'baseline-fastify') return startFastifyBaseline(database)
  if (accessServers.some((server) => server === name)) return startAccessServer(name, database)
  if (isFolder(name)) {
    const path = serviceModules.map((module) => resolve(name, module)).find(existsSync)
    if (path === undefined) throw new Error(`${name} has no ${serviceModules.join(' or ')}.`)
    return startVersion(database, (await import(String(pathToFileURL(path)))).startService)
  }
  if (peers.some((peer) => peer.name === name))
    return (await import(`./peers/${name}.js`)).start(database)
  throw new Error(`There is no server "${name}".`)
}

/** Whether the name of a server is the folder of another version of the project. */
export function isFolder(name: string): boolean {
  return name.includes('/')
}

async function startVersion(
  databaseUrl: string,
  start: typeof startService,
): Promise<RunningServer> {
  // Under Valgrind a request waits longer than the service allows.
  const databaseTimeout = Number(process.env.DATABASE_TIMEOUT ?? 60_000)
  const timeouts = { queueTimeout: 60_000, databaseTimeout }
  const options = { port: 0, logLevel: 'error', atomic: 'on', ...timeouts } as const
  const service = await start({ databaseUrl, ...options })
  return { port: Number(new URL(service.url).port), close: () => service.close(100) }
}

function openBaseline(database: string): Baseline {
  const path = /^sqlite:(.*)$/s.exec(database)?.[1]
  return path === undefined ? openPostgresBaseline(database) : openSqliteBaseline(path)
}

async function startFastifyBaseline(database: string): Promise<RunningServer> {
  const baseline = openBaseline(database)
  const app = createFastifyServer(baseline)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    port: Number(new URL(url).port),
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await baseline.close()
    },
  }
}

async function startBaseline(database: string): Promise<RunningServer> {
  const baseline = openBaseline(database)
  const server = createBaselineServer(baseline)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await baseline.close()
    },
  }
}

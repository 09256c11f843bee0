import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startService } from '../service/start.ts'
import { porchServer } from './floor/porch.ts'
import { postgresFloor } from './floor/postgres.ts'
import { floorServer } from './floor/server.ts'
import { sqliteFloor } from './floor/sqlite.ts'
import type { Floor } from './floor/tables.ts'
import { peers } from './peers.ts'

/** A server that listens on 127.0.0.1. */
export interface Subject {
  readonly port: number
  close(): Promise<void>
}

/**
 * Starts what is to be measured.
 * @param name - `service`, `floor`, `porch` (the floor behind Fastify), a peer's, or the folder of another version of the project
 * @param database - `sqlite:<path>` or `postgres://…`
 */
export async function startSubject(name: string, database: string): Promise<Subject> {
  if (name === 'service') return startOurs(database, startService)
  if (name === 'floor') return startFloor(database)
  if (name === 'porch') return startPorch(database)
  if (isFolder(name)) {
    const other = pathToFileURL(resolve(name, 'service', 'start.ts'))
    return startOurs(database, (await import(String(other))).startService)
  }
  if (peers.some((peer) => peer.name === name))
    return (await import(`./peers/${name}.js`)).start(database)
  throw new Error(`There is nobody called "${name}".`)
}

/** Whether a name is that of a folder with another version of the project. */
export function isFolder(name: string): boolean {
  return name.includes('/')
}

async function startOurs(databaseUrl: string, start: typeof startService): Promise<Subject> {
  const service = await start({ databaseUrl, port: 0, logLevel: 'error' })
  return { port: Number(new URL(service.url).port), close: () => service.close(100) }
}

function openFloor(database: string): Floor {
  const path = /^sqlite:(.*)$/s.exec(database)?.[1]
  return path === undefined ? postgresFloor(database) : sqliteFloor(path)
}

async function startPorch(database: string): Promise<Subject> {
  const floor = openFloor(database)
  const server = porchServer(floor)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    port: Number(new URL(url).port),
    close: async () => {
      server.server.closeAllConnections()
      await server.close()
      await floor.close()
    },
  }
}

async function startFloor(database: string): Promise<Subject> {
  const floor = openFloor(database)
  const server = floorServer(floor)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await floor.close()
    },
  }
}

import type { AddressInfo } from 'node:net'
import { startService } from '../service/start.ts'
import { postgresFloor } from './floor/postgres.ts'
import { floorServer } from './floor/server.ts'
import { sqliteFloor } from './floor/sqlite.ts'

/** A server that listens on 127.0.0.1. */
export interface Subject {
  readonly port: number
  close(): Promise<void>
}

/**
 * Starts what is to be measured.
 * @param name - `service`, `floor`, or a peer's
 * @param database - `sqlite:<path>` or `postgres://…`
 */
export async function startSubject(name: string, database: string): Promise<Subject> {
  if (name === 'service') return startOurs(database)
  if (name === 'floor') return startFloor(database)
  throw new Error(`There is nobody called "${name}".`)
}

async function startOurs(databaseUrl: string): Promise<Subject> {
  const service = await startService({ databaseUrl, port: 0, logLevel: 'error' })
  return { port: Number(new URL(service.url).port), close: () => service.close(100) }
}

async function startFloor(database: string): Promise<Subject> {
  const path = /^sqlite:(.*)$/s.exec(database)?.[1]
  const floor = path === undefined ? postgresFloor(database) : sqliteFloor(path)
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

import { type ColumnTypes, everyDatabase, postgresTypes } from '../../databases.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { createDatabaseOn } from '../../postgres.ts'
import { PostgresServer } from '../../postgres-server.ts'
import type { ScenarioSize } from './run-scenario.ts'

/**
 * How scenarios run: with few rows on SQLite or PostgreSQL, with so many that lists are streamed and SQLite uses reader processes, or on
 * PostgreSQL with a standby that answers reads.
 */
export const variants = ['sqlite', 'postgres', 'large-sqlite', 'large-postgres', 'replica'] as const
/** The name of a variant. */
export type Variant = (typeof variants)[number]

/** An open variant. */
export interface OpenVariant {
  readonly columnTypes: ColumnTypes
  readonly create: () => Promise<OpenDatabase>
  readonly size: ScenarioSize
  close(): Promise<void>
}

/** Opens a variant. Those of PostgreSQL use the server of the test run, but for the replica, which has a server of its own. */
export async function openVariant(variant: Variant): Promise<OpenVariant> {
  if (variant === 'replica') return openReplica()
  const isLarge = variant.startsWith('large')
  const size = isLarge ? { reads: 40, writes: 6, filler: 2500 } : { reads: 80, writes: 40 }
  const database = everyDatabase.find(({ dialect }) => variant.endsWith(dialect))
  if (database === undefined) throw new Error(`There is no server for ${variant}.`)
  const { columnTypes } = database
  return { columnTypes, create: () => database.create(), size, close: async () => {} }
}

async function openReplica(): Promise<OpenVariant> {
  const primary = await PostgresServer.make('fsync=off')
  const standby = await primary.standby('fsync=off', 'wal_retrieve_retry_interval=100ms')
  const toOptions = (url: string) => {
    const replica = new URL(new URL(url).pathname, standby.url)
    return { replicaUrls: [String(replica)] }
  }
  let number = 0
  return {
    columnTypes: postgresTypes,
    create: () => {
      number += 1
      return createDatabaseOn(primary.url, `access_${number}`)
    },
    size: { reads: 80, writes: 20, toOptions },
    close: async () => {
      await standby.remove()
      await primary.remove()
    },
  }
}

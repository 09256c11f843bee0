import type { Model, Store } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { type Database, databases, inMemory } from '../databases.ts'

/** The options that the contract sets; every store must have them. */
export interface ContractOptions {
  /** The maximum duration of a read in milliseconds. */
  readonly timeout?: number
}

/** A database system that must meet the contract, and how a store is opened on one of its databases. */
export interface ContractDatabase extends Database {
  open(model: Model, url: string, options?: ContractOptions): Promise<Store>
}

/** The databases that must meet the contract. PostgreSQL is in the list if the test run has a server. */
export const contractDatabases: readonly ContractDatabase[] = [...databases, inMemory].map(
  (database) => ({
    ...database,
    open: async (model, url, options) =>
      database.dialect === 'postgres'
        ? openPostgres(model, url, options)
        : openSqlite(model, url.replace(/^sqlite:/, ''), options),
  }),
)

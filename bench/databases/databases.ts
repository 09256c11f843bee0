import { join } from 'node:path'

/** The databases of one engine that servers are measured on. */
export interface Databases {
  /** Gets the URL of a database with so many persons. It must only be read. */
  open(persons: number): Promise<string>
  /** Copies such a database. @returns the URL of the copy, which may be written */
  copy(persons: number, name: string): Promise<string>
  /** Stops the database server, if there is one. */
  close(): Promise<void>
}

/** The folder that keeps databases between runs. It can be deleted at any time. */
export const cacheFolder = join(import.meta.dirname, '..', '.cache')

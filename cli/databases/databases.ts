import type { DialectName } from 'lapidary'
import { findDatabase, isDatabaseUrl, urlForms } from '../../process/databases.ts'
import type { CommandDatabase } from './command-database.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** What the commands know of each database. */
export const commandDatabases: Readonly<Record<DialectName, CommandDatabase>> = { sqlite, postgres }

/** Returns what the commands know of the database of a url. @throws Error with a one-line message for the url of none */
export function findCommandDatabase(url: string): CommandDatabase {
  const name = findDatabase(url)
  if (name !== undefined && isDatabaseUrl(url)) return commandDatabases[name]
  const remedy = url.includes(':') ? '' : `; did you mean sqlite:${url}?`
  // The message does not repeat another url, because it may contain a password.
  throw new Error(`the database url must be ${urlForms}${remedy}`)
}

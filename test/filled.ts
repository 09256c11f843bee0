import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Scope } from './cleanup.ts'
import type { Database } from './databases.ts'

/** Rows by the names of their columns. */
export type Records = readonly Readonly<Record<string, unknown>>[]

/** Runs SQL on a database, past the engine; returns the rows of a question, which PostgreSQL may be prepared for first. */
export async function execute(url: string, sql: string): Promise<Records> {
  const path = /^sqlite:(.+)$/s.exec(url)?.[1]
  if (path === undefined) return executeOnPostgres(url, sql)
  const database = new DatabaseSync(path)
  try {
    if (/^\s*(?:select|with)\b/i.test(sql)) return database.prepare(sql).all()
    database.exec(sql)
    return []
  } finally {
    database.close()
  }
}

async function executeOnPostgres(url: string, sql: string): Promise<Records> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return [await client.query(sql)].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

/** Creates a database by SQL, which is deleted when the test ends. @returns its URL */
export async function filled(test: Scope, database: Database, sql: string): Promise<string> {
  const { url, remove } = await database.create()
  test.after(remove)
  await execute(url, sql)
  return url
}

/** Whether a URL is that of a PostgreSQL database. */
export function isPostgres(url: string): boolean {
  return url.startsWith('postgres')
}

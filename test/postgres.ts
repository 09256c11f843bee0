import assert from 'node:assert/strict'
import { Client } from 'pg'
import type { OpenDatabase } from './databases.ts'

/** Where the test run's own PostgreSQL listens; whoever starts the tests has started it. */
const server = process.env.LAPIDARY_TEST_POSTGRES

const free: string[] = []

/** A fresh, empty database; one that was given back is emptied and used again, which is much cheaper than a new one. */
export async function freshPostgres(): Promise<OpenDatabase> {
  assert.ok(server !== undefined, 'LAPIDARY_TEST_POSTGRES is not set')
  const name = free.pop() ?? (await created())
  const url = new URL(name, server)
  return {
    url: String(url),
    remove: async () => {
      await run(url, 'drop schema public cascade; create schema public')
      free.push(name)
    },
  }
}

let made = 0

async function created(): Promise<string> {
  made += 1
  const name = `test_${process.pid}_${made}`
  await run(new URL('postgres', server), `create database ${name}`)
  return name
}

async function run(url: URL, sql: string): Promise<void> {
  const client = new Client({ connectionString: String(url) })
  await client.connect()
  await client.query(sql)
  await client.end()
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import type { Settings } from '../../service/settings.ts'
import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import type { OpenDatabase } from '../open-database.ts'
import { freshPostgres } from '../postgres.ts'
import { parseResponse } from '../test-response.ts'
import { poolerTo } from './pooler.ts'

/** How many clients of the service work at the same time; the pooler has fewer connections. */
const clients = 12

describe('A pooler that assigns a connection for each transaction', () => {
  async function on(work: (database: OpenDatabase) => Promise<void>): Promise<void> {
    const database = await freshPostgres()
    try {
      await work(database)
    } finally {
      await database.remove()
    }
  }
  const settings = (databaseUrl: string): Partial<Settings> => ({
    port: 0,
    logLevel: 'silent',
    databaseUrl,
    databasePooler: 'transaction',
  })

  it('can be used: every write is visible to later reads on any connection', () =>
    on(async (database) => {
      const pooler = await poolerTo(database.url, 3)
      const service = await startService(settings(pooler.url))
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          const session = connect(service.url)
          for (let number = 0; number < 10; number += 1) {
            const attributes = { name: `${client}-${number}`, birth_date: '1815-12-10' }
            const body = { data: { type: 'person', attributes } }
            const made = await session.send('POST', '/persons', { body })
            assertServiceConforms(made)
            const { id } = parseResponse(made).one
            const read = await session.send('GET', `/persons/${id}?include=computers`)
            assertServiceConforms(read)
            assert.equal(parseResponse(read).one.attributes?.birth_date, '1815-12-10')
          }
          session.close()
        }),
      )
      assert.ok(pooler.assigned > clients * 10 * 2, String(pooler.assigned))
      await service.close(0)
      await pooler.close()
    }))

  it('a session with another time zone stops the start, and the message names the fix', () =>
    on(async (database) => {
      const client = new Client({ connectionString: database.url })
      await client.connect()
      const name = new URL(database.url).pathname.slice(1)
      await client.query(`alter database ${name} set timezone = 'Europe/Berlin'`)
      try {
        await assert.rejects(
          startService(settings(database.url)),
          /"Europe\/Berlin".*must be UTC and ISO.*run alter role/,
        )
        // Without a pooler we say ourselves which it is to be.
        const service = await startService({ ...settings(database.url), databasePooler: 'none' })
        await service.close(0)
      } finally {
        await client.query(`alter database ${name} reset timezone`)
        await client.end()
      }
    }))

  it('a database with synchronous_commit off stops the start', () =>
    on(async (database) => {
      const client = new Client({ connectionString: database.url })
      await client.connect()
      const name = new URL(database.url).pathname.slice(1)
      await client.query(`alter database ${name} set synchronous_commit = off`)
      try {
        await assert.rejects(
          startService(settings(database.url)),
          /synchronous_commit off.*may be lost; run alter role/,
        )
      } finally {
        await client.query(`alter database ${name} reset synchronous_commit`)
        await client.end()
      }
    }))
})

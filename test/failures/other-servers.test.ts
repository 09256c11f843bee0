import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import { freshPostgres } from '../postgres.ts'
import { statementsOf } from '../service/statements.ts'
import { parseResponse } from '../test-response.ts'

it('A server that speaks for PostgreSQL gets no statement that depends on an earlier one', async (test) => {
  const database = await freshPostgres()
  const client = new pg.Client(database.url)
  await client.connect()
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`
    create function public.version() returns text language sql as $$ select 'OtherDB 1.0' $$;
    alter database "${name}" set search_path = public, pg_catalog`)
  const service = await startService({ port: 0, logLevel: 'silent', databaseUrl: database.url })
  test.after(async () => {
    await service.close(0)
    await client.query(`alter database "${name}" reset search_path`)
    await client.end()
    await database.remove()
  })
  const session = connect(service.url)
  const ask = async (method: string, path: string, body?: unknown) => {
    const exchange = await session.send(method, path, { body })
    assertServiceConforms(exchange)
    return parseResponse(exchange)
  }
  const person = (id?: string) => ({
    data: {
      type: 'person',
      attributes: { name: 'Eve' },
      relationships: { computers: { data: id === undefined ? [] : [{ type: 'computer', id }] } },
    },
  })
  const computer = { data: { type: 'computer', attributes: { serial: 'A' } } }
  const run = await statementsOf(async () => {
    assert.equal((await ask('POST', '/persons', person())).status, 201)
    assert.equal((await ask('POST', '/persons/1/computers', computer)).status, 201)
    assert.equal((await ask('POST', '/persons?include=computers', person('1'))).status, 201)
    assert.equal((await ask('GET', '/computers?filter[owner__id]=2')).body.meta?.count, 1)
  })
  assert.ok(run.some((sql) => sql.startsWith('insert')))
  assert.doesNotMatch(run.join('\n'), /_config|current_setting/)
})

it('A server of an older version stops the start with its version', async (test) => {
  const database = await freshPostgres()
  const client = new pg.Client(database.url)
  await client.connect()
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`
    create function public.current_setting(name text) returns text language sql as $$
      select case name when 'server_version_num' then '130012' else pg_catalog.current_setting(name) end $$;
    alter database "${name}" set search_path = public, pg_catalog`)
  test.after(async () => {
    await client.query(`alter database "${name}" reset search_path`)
    await client.end()
    await database.remove()
  })
  await assert.rejects(
    startService({ port: 0, logLevel: 'silent', databaseUrl: database.url }),
    /is at version 13\.12; it must be 14 or later\.$/,
  )
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseDescription } from '../checker/check-description.ts'
import { assertConforms } from '../checker/check-exchange.ts'
import { type Call, connect } from '../client.ts'
import type { Database } from '../databases.ts'
import { absolutePath } from '../docs/pages.ts'
import { filled } from '../filled.ts'
import { long } from '../long-tests.ts'
import { folder, startProgram } from '../service/child.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'

/** The path of the command. */
export const main = absolutePath('cli/main.ts')

/** The SQL of the served tables. */
export const tables = `
  create table artist (id integer primary key, name text not null);
  create table album (id integer primary key, title text not null, artist_id integer references artist (id));
  create table customer (id integer primary key, email text, password_hash text, api_key text);
  create view entry as select 1 as one, 2 as two union all select 1, 2;
  insert into artist values (1, 'Ada');
  insert into album values (1, 'Notes', 1);
  insert into customer values (1, 'ada@example.org', 'x', 'y')`

/** Sends one checked request on a connection of its own. */
export async function send(
  url: string,
  method: string,
  path: string,
  call?: Call,
): Promise<TestResponse> {
  const client = connect(url)
  try {
    const exchange = await client.send(method, path, call)
    const body = assertConforms(exchange)
    const [prefix = ''] = /^\/api(?=\/)/.exec(path) ?? []
    const { text } = await client.send('GET', `${prefix}/openapi.json`)
    parseDescription(text, prefix)(exchange, body)
    return parseResponse(exchange)
  } finally {
    client.close()
  }
}

/** Declares the test that `lapidary serve` takes every setting of a server, with workers. */
export function testSettings(database: Database): void {
  it(
    `lapidary serve takes every setting of a server, and the url from DATABASE_URL · ${database.name}`,
    long,
    async (test) => {
      const child = await startProgram(test, main, {
        cwd: await folder(test),
        args: ['serve', '--types', 'singular', '--page-size=1', '--workers', '2'],
        environment: {
          ...{ DATABASE_URL: await filled(test, database, tables), PORT: '0' },
          ...{ BASE_PATH: '/api', LOG_LEVEL: 'warn' },
        },
      })
      const albums = await send(child.url, 'GET', '/api/albums?page[size]=1000')
      assert.equal(JSON.parse(albums.text).data[0].type, 'album', albums.text)
      const all = await send(child.url, 'GET', '/api/albums?page[size]=0')
      assert.equal(all.status, 400, all.text)
      const { code } = await child.end('SIGTERM')
      assert.equal(code, 0)
    },
  )
}

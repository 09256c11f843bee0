import { join } from 'node:path'
import { after, before } from 'node:test'
import { attribute, defineModel, resource, type Store, text } from 'lapidary'
import { createServer, type ServerOptions } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { temporaryFolder } from '../temporary-folder.ts'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const models = {
  '1.0': defineModel([note], { maxPageSize: null }),
  '1.1': defineModel([note], { maxPageSize: null, jsonapi: '1.1', errorTypes: 'urn:errors:' }),
}

/** A request whose handler has begun and waits for the test. */
type Held = () => void

/** A server of notes, with a path `/held` whose requests wait until the test releases them. */
export interface NotesServer {
  readonly app: ReturnType<typeof createServer>
  readonly origin: string
  /** Requests to `/held` that have begun and wait, in order. */
  readonly held: Held[]
}

/** The differences from a server with default options. */
interface NotesOptions {
  /** The address to listen at. Default 127.0.0.1. */
  readonly host?: string
  /** Wraps the store that the server uses. */
  readonly watchStore?: (store: Store) => Store
  /** The version of its documents; default 1.0. */
  readonly jsonapi?: '1.0' | '1.1'
}

/** The body of a request that creates a note. */
export const noteBody = (value: string): string =>
  JSON.stringify({ data: { type: 'note', attributes: { text: value } } })

/**
 * Serves notes in a SQLite database on disk, because one in memory has no streams, for all tests of a suite.
 *
 * @param rows - the number of notes
 */
export function serveNotes(
  options: Partial<ServerOptions> = {},
  rows = 0,
  { host = '127.0.0.1', watchStore = (store) => store, jsonapi = '1.0' }: NotesOptions = {},
): NotesServer {
  const model = models[jsonapi]
  const store = openSqlite(model, join(temporaryFolder(), 'notes.db'), { create: true })
  const app = createServer({ model, store: watchStore(store), logLevel: 'silent', ...options })
  const held: Held[] = []
  let origin = ''
  app.all('/held', (_request, reply) => {
    held.push(() => void reply.send('held'))
  })
  before(async () => {
    const sql = `create table note (id integer primary key, text text);
      with recursive n (id) as (select 1 union all select id + 1 from n where id < ${rows})
      insert into note select id, 'note ' || id from n where ${rows} > 0`
    await store.migrate([{ version: 1, sql }])
    origin = await app.listen({ host, port: 0 })
  })
  after(async () => {
    app.server.closeAllConnections?.()
    await app.close()
    await store.close()
  })
  return {
    app,
    held,
    get origin() {
      return origin
    },
  }
}

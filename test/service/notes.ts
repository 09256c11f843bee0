import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { attribute, defineModel, resource, type Store, text } from 'lapidary'
import { createServer, type ServerOptions } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const model = defineModel([note], { maxPageSize: null })

/** A request that the server has begun and that waits for the test. */
type Held = () => void

/** A small server of its own, and a path `/held` whose requests wait until the test lets them go. */
export interface NotesServer {
  readonly app: ReturnType<typeof createServer>
  readonly origin: string
  /** Requests to `/held` that have begun and wait, in order. */
  readonly held: Held[]
}

/** What differs from a server of the defaults, besides its options. */
interface NotesOptions {
  /** Where to listen. Default 127.0.0.1. */
  readonly host?: string
  /** Looks on at what the server asks of the store. */
  readonly watchStore?: (store: Store) => Store
}

/** A body that makes a note. */
export const noteBody = (value: string): string =>
  JSON.stringify({ data: { type: 'note', attributes: { text: value } } })

/**
 * Serves notes in a SQLite database on disk, for all tests of a suite: one in memory has no streams.
 * @param rows - how many notes there are
 */
export function serveNotes(
  options: Partial<ServerOptions> = {},
  rows = 0,
  { host = '127.0.0.1', watchStore = (store) => store }: NotesOptions = {},
): NotesServer {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const store = openSqlite(model, join(folder, 'notes.db'))
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
    await rm(folder, { recursive: true, force: true })
  })
  return {
    app,
    held,
    get origin() {
      return origin
    },
  }
}

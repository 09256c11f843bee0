import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  attribute,
  createHandler,
  defineModel,
  idQuery,
  integer64,
  resource,
  type Store,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'

// Serves a bookshop until a signal ends the process; prints its address. The tests copy this file into a project in which
// the package is installed, and run it there under every runtime.

const author = resource('author', {
  path: '/authors',
  table: 'author',
  fields: {
    name: attribute(text, { required: true }),
    books: toMany('book', { column: 'author_id' }),
  },
})
const book = resource('book', {
  path: '/books',
  table: 'book',
  fields: {
    title: attribute(text, { required: true }),
    isbn: attribute(text),
    sold: attribute(integer64()),
    author: toOne('author', { column: 'author_id' }),
  },
  queries: {
    endless: idQuery(
      {},
      () =>
        sql`with recursive n (n) as (select 1 union all select n + 1 from n) select n from n where n < 0`,
    ),
  },
})
const model = defineModel([author, book], { maxPageSize: null })

/** A server that listens. */
interface Listening {
  readonly url: string | URL
  close(): unknown
}

declare const Bun:
  | { serve(options: object): { readonly url: URL; stop(): Promise<void> } }
  | undefined
declare const Deno:
  | {
      serve(options: object): {
        readonly addr: Readonly<{ port: number }>
        shutdown(): Promise<void>
      }
    }
  | undefined

const hostname = '127.0.0.1'
const [, , databaseUrl = '', server] = process.argv
const store = await openStore(databaseUrl)
await store.verify()
const listening = server === 'fastify' ? await listenByFastify() : await listenByRuntime()
console.log(String(listening.url))

process.once('SIGTERM', async () => {
  await listening.close()
  await store.close()
})

async function openStore(url: string): Promise<Store> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path !== undefined) {
    const { openSqlite } = await import('lapidary/sqlite')
    return openSqlite(model, path, { timeout: 2000 })
  }
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, url)
}

async function listenByFastify(): Promise<Listening> {
  const lapidary = await import('lapidary/fastify')
  const app = lapidary.createServer({ model, store, logLevel: 'error' })
  return { url: await app.listen({ host: hostname, port: 0 }), close: () => app.close() }
}

/** Listens with the server that the runtime has. */
async function listenByRuntime(): Promise<Listening> {
  const handler = createHandler({ model, store })
  const fetch = (request: Request) => handler(request)
  if (typeof Bun !== 'undefined') {
    const served = Bun.serve({ hostname, port: 0, fetch })
    return { url: served.url, close: () => served.stop() }
  }
  if (typeof Deno !== 'undefined') {
    const served = Deno.serve({ hostname, port: 0, handler: fetch, onListen() {} })
    return { url: `http://${hostname}:${served.addr.port}`, close: () => served.shutdown() }
  }
  const { createNodeHandler } = await import('lapidary/node')
  const http = createServer(createNodeHandler({ model, store }))
  await once(http.listen(0, hostname), 'listening')
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://${hostname}:${port}`, close: () => http.close() }
}

import {
  attribute,
  defineModel,
  integer64,
  resource,
  type Store,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'

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
})
const model = defineModel([author, book], { maxPageSize: null })

const [, , databaseUrl = ''] = process.argv
const store = await openStore(databaseUrl)
await store.verify()
const server = createServer({ model, store, logLevel: 'error' })
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))

process.once('SIGTERM', async () => {
  await server.close()
  await store.close()
})

async function openStore(url: string): Promise<Store> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path !== undefined) {
    const { openSqlite } = await import('lapidary/sqlite')
    return openSqlite(model, path, { timeout: 1000 })
  }
  const { openPostgres } = await import('lapidary/postgres')
  return openPostgres(model, url)
}

import fastify from 'fastify'
import { openSqlite } from 'lapidary/sqlite'
import { createAppContext } from '../../src/endpoints/app-context.ts'
import type { ApiRequest } from '../../src/endpoints/handler.ts'
import { buildRouteTable } from '../../src/endpoints/route-table.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from './library.ts'

// A program: calls handlers without HTTP and prints their documents, one a line. `code-generation.test.ts` runs it.

/** Paths of the route table, the id in them, and query strings. */
const requests = [
  ['/authors', '', ''],
  ['/authors', '', 'include=books,teacher&sort=-name&page[size]=2'],
  ['/authors', '', 'fields[author]=label,mail'],
  ['/authors', '', 'fields[author]=label&fields[book]=title&include=books'],
  ['/authors/:id', '2', 'include=pupils.teacher,books.author'],
  ['/authors/:id', '1', 'fields[author]='],
  ['/authors/:id/books', '2', 'page[size]=1'],
  ['/authors/:id/teacher', '1', ''],
  ['/authors/:id/relationships/books', '2', 'include=books'],
  ['/authors/:id/relationships/teacher', '3', ''],
] as const

const store = openSqlite(library, ':memory:')
try {
  await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
  const context = createAppContext({ model: library, store, prefix: '/v1' })
  const routes = new Map(buildRouteTable(context.planner).map((route) => [route.path, route]))
  for (const [path, id, search] of requests) {
    const { signal } = new AbortController()
    const request: ApiRequest = {
      ...{ id, search, auth: undefined, body: new Uint8Array(), origin: 'http://test' },
      ...{ requestId: undefined, ip: undefined, log: fastify().log },
      signal: () => signal,
    }
    const response = await routes.get(path)?.methods.GET?.(request, context)
    console.log(response?.body)
  }
} finally {
  await store.close()
}

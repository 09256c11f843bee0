import { closeSync, openSync } from 'node:fs'
import { defineModel, resource } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'

// A program for `descriptors.test.ts`: prints the statuses of expensive reads while it has no free file descriptor, and after it.

const [, , path = ''] = process.argv
const model = defineModel([resource('number', { path: '/numbers', table: 'number', fields: {} })])
const store = openSqlite(model, path, { create: true })
await store.migrate([
  {
    version: 1,
    // A recursion runs in a reader process, whatever the number of its rows.
    sql: `create view number as
      with recursive n (id) as (select 1 union all select id + 1 from n limit 10) select id from n`,
  },
])
const server = createServer({ model, store, logLevel: 'silent' })
const read = async () => (await server.inject('/numbers?sort=-id')).statusCode

// More reads than there are processes.
const reads = 5
// Loads every module of a request.
await server.inject('/')
const opened: number[] = []
try {
  for (;;) opened.push(openSync('/dev/null', 'r'))
} catch {
  // No descriptor is left.
}
const during: number[] = []
for (let each = 0; each < reads; each += 1) during.push(await read())
for (const each of opened) closeSync(each)
console.log(JSON.stringify({ opened: opened.length, during, after: await read() }))
await server.close()
await store.close()

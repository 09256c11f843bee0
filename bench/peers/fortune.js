import { createServer } from 'node:http'
import fortune from 'fortune'
import http from 'fortune-http'
import jsonapi from 'fortune-json-api'
import { computers, persons } from './rows.js'

/** Fortune by its own adapter, which keeps everything in memory: it has none for SQL databases that is kept up. */
export async function start(database) {
  const types = {
    person: {
      name: String,
      email: String,
      birth_date: String,
      gender: String,
      computers: [Array('computer'), 'owner'],
    },
    computer: { serial: String, owner: ['person', 'computers'] },
  }
  const adapter = [fortune.adapters.memory, { recordsPerType: Number.POSITIVE_INFINITY }]
  const store = fortune(types, { adapter })
  await store.connect()
  await fill(store.adapter, 'person', persons(database))
  await fill(store.adapter, 'computer', computers(database))
  const options = { inflectType: false, inflectKeys: false, jsonSpaces: 0, castNumericIds: true }
  const listener = http(store, { serializers: [[jsonapi, options]] })
  const server = createServer((request, response) => listener(request, response).catch(() => {}))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, close: async () => server.close() }
}

async function fill(adapter, type, rows) {
  for (let at = 0; at < rows.length; at += 1000)
    await adapter.create(type, rows.slice(at, at + 1000))
}

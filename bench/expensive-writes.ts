import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { openDatabases } from './databases/open.ts'
import { startServerProcess } from './processes.ts'
import {
  crowdColumns,
  documentHeaders,
  measureCrowd,
  measureOne,
  printColumns,
  printRow,
} from './small-requests.ts'

/**
 * Measures the largest writes within the limit of a body, one after the other or by many clients at once, and their effect on small
 * requests: the tables of writes of bench/RESULTS.md. `node bench/expensive-writes.ts [--database sqlite,postgres] [--clients 50]`
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    clients: { type: 'string', default: '1' },
  },
})

const persons = 100_000
/** So many identifiers of computers have almost 1 MiB. */
const most = 25_000

/** Sends a document to the server at an origin. */
type Write = (origin: string) => Promise<Response>

/** Identifies computers with consecutive ids. */
const computers = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'computer', id: String(first + index) }))

const send =
  (method: string, path: string, data?: unknown): Write =>
  (origin) =>
    fetch(`${origin}${path}`, {
      method,
      headers: documentHeaders,
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    })

const members = (person: number) => `/persons/${person}/relationships/computers`

/** Writes in this order: the `DELETE` of a person removes what others have added to it. */
// biome-ignore format: a table, one request a row
const writes: readonly (readonly [description: string, write: Write])[] = [
  ['`PATCH` of a relationship with 25,000 computers', send('PATCH', members(1001), computers(1, most))],
  ['`POST` of 25,000 computers to a relationship', send('POST', members(1002), computers(50_001, most))],
  ['`POST` of 10,000 computers to a relationship', send('POST', members(1003), computers(100_001, 10_000))],
  ['`DELETE` of 25,000 computers from a relationship', send('DELETE', members(1001), computers(1, most))],
  ['`DELETE` of a person with 25,000 computers', send('DELETE', '/persons/1002')],
  ['`POST` of a person whose name has 1,000,000 characters', send('POST', '/persons', { type: 'person', attributes: { name: 'a'.repeat(1_000_000) } })],
]

/** What is measured without an index on the foreign key. */
const unindexed: typeof writes = [
  ['`DELETE` of a person with 10,000 computers, without an index', send('DELETE', '/persons/1003')],
  ['`DELETE` of a person with five computers, without an index', send('DELETE', '/persons/2000')],
]

/** What many clients repeat. Each adds computers to its own person. */
const crowds: readonly (readonly [description: string, write: (client: number) => Write])[] = [
  [
    '`PATCH` of a relationship with 20,000 computers',
    (client) => send('PATCH', members(1001 + client), computers(1 + client * 5000, 20_000)),
  ],
  [
    '`POST` of a person whose name has 1,000,000 characters',
    () => send('POST', '/persons', { type: 'person', attributes: { name: 'a'.repeat(1_000_000) } }),
  ],
]

async function measureWrites(engine: string, origin: string, rows: typeof writes): Promise<void> {
  for (const [description, write] of rows) {
    const cost = await measureOne(origin, () => write(origin))
    printRow([
      description,
      engine,
      String(cost.status),
      cost.seconds.toFixed(2),
      Math.max(...cost.latencies).toFixed(0),
    ])
  }
}

/** Starts the service on a database, and stops it afterwards. */
async function withServer(url: string, work: (origin: string) => Promise<void>): Promise<void> {
  const server = await startServerProcess('service', url)
  await work(`http://127.0.0.1:${server.port}`).finally(() => server.stop())
}

/** Drops the indexes of a SQLite database. */
function dropIndexes(url: string): void {
  const database = new DatabaseSync(url.replace('sqlite:', ''))
  const indexes = database
    .prepare("select name from sqlite_schema where type = 'index' and sql is not null")
    .all()
  for (const { name } of indexes) database.exec(`drop index "${String(name)}"`)
  database.close()
}

const clients = Number(values.clients)
const costColumns = ['status', 's', 'longest small request, ms']
printColumns(['request', 'database', ...(clients > 1 ? crowdColumns : costColumns)])
for (const engine of values.database.split(',')) {
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const databases = await openDatabases(engine)
  try {
    const url = await databases.copy(persons, 'expensive_writes')
    if (clients > 1)
      await withServer(url, async (origin) => {
        for (const [description, write] of crowds)
          printRow([
            description,
            name,
            ...(await measureCrowd(origin, clients, (client) => write(client)(origin))),
          ])
      })
    else {
      await withServer(url, (origin) => measureWrites(name, origin, writes))
      if (engine !== 'sqlite') continue
      dropIndexes(url)
      await withServer(url, (origin) => measureWrites(name, origin, unindexed))
    }
  } finally {
    await databases.close()
  }
}

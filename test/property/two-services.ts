import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import type { Database } from '../databases.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'
import type { NamingRequest } from './hidden-requests.ts'

/** A service on a database of its own, which a test can also change directly. */
export interface Twin {
  /** The origin of the service. */
  readonly url: string
  /** Sends a request, and checks the response like any other. */
  send(request: NamingRequest): Promise<TestResponse>
  /** Runs a statement on the database. */
  execute(statement: string): Promise<unknown>
}

/** Runs a test on two independent services. */
export function onTwins(
  database: Database,
  test: (left: Twin, right: Twin) => Promise<void>,
): Promise<void> {
  return withTwin(database, (left) => withTwin(database, (right) => test(left, right)))
}

async function withTwin(database: Database, use: (twin: Twin) => Promise<void>): Promise<void> {
  const { url: databaseUrl, remove } = await database.create()
  const service = await startService({ port: 0, databaseUrl, logLevel: 'silent' })
  const url = new URL(service.url).origin
  const client = connect(url)
  try {
    await use({
      url,
      send: async ({ method, path, query, body }) => {
        const exchange = await client.send(method, path, { query, body })
        assertServiceConforms(exchange)
        return parseResponse(exchange)
      },
      execute: (statement) => executeDirectly(databaseUrl, statement),
    })
  } finally {
    client.close()
    await service.close()
    await remove()
  }
}

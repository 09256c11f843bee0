import { defineModel } from 'lapidary'
import { resources } from '../../service/resources/index.ts'
import { startService } from '../../service/start-service.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { connect } from '../client.ts'
import type { Database } from '../databases.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'
import type { NamingRequest } from './hidden-requests.ts'

/** A service on a database of its own, which a test can also change directly. */
export interface Twin {
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

/** What both services share, so that they seal versions and tags alike. */
const secret = 'the secret of the two services'
/** The origin of the links of both, whose tags must not have the ports of the services. */
const origin = 'http://twins.test'
const model = defineModel(resources, { maxPageSize: null, atomic: { actions: true } })

async function withTwin(database: Database, use: (twin: Twin) => Promise<void>): Promise<void> {
  const { url: databaseUrl, remove } = await database.create()
  const settings = { databaseUrl, publicUrl: origin, secret: [secret], atomic: 'on' } as const
  const service = await startService({ ...settings, port: 0, logLevel: 'silent' })
  const client = connect(new URL(service.url).origin)
  try {
    await use({
      send: async ({ method, path, query, body, headers = {} }) => {
        const exchange = await client.send(method, path, { query, body, headers })
        const url = exchange.url.replace(/^http:\/\/[^/]*/, origin)
        // The rules that are checked are those of 1.0, and a batch speaks 1.1.
        if (path !== '/operations') assertModelConforms(model, { ...exchange, url })
        return parseResponse({ ...exchange, url })
      },
      execute: (statement) => executeDirectly(databaseUrl, statement),
    })
  } finally {
    client.close()
    await service.close()
    await remove()
  }
}

import type { Model } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { assertModelConforms } from '../checker/check-served.ts'
import type { Scope } from '../cleanup.ts'
import { type Call, connect } from '../client.ts'
import { openStore } from '../engine/engine.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'

/** A server on existing tables. The document checker verifies every response. */
export interface ServedModel {
  /** The warnings of `Store.verify`. */
  readonly warnings: readonly string[]
  get(path: string, query?: Call['query']): Promise<TestResponse>
  post(path: string, data: unknown): Promise<TestResponse>
  patch(path: string, data: unknown): Promise<TestResponse>
  delete(path: string): Promise<TestResponse>
}

/** Starts a server that runs until the test ends. */
export async function serveModel(test: Scope, model: Model, url: string): Promise<ServedModel> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  let close = () => {}
  // Also after an error of the next steps, or the tests do not end.
  test.after(async () => {
    close()
    await server.close()
    await store.close()
  })
  const { warnings } = await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  close = () => client.close()
  const call = async (method: string, path: string, options: Call) => {
    const exchange = await client.send(method, path, options)
    assertModelConforms(model, exchange)
    return parseResponse(exchange)
  }
  return {
    warnings,
    get: (path, query) => call('GET', path, { query }),
    post: (path, data) => call('POST', path, { body: { data } }),
    patch: (path, data) => call('PATCH', path, { body: { data } }),
    delete: (path) => call('DELETE', path, {}),
  }
}

/** The part of a warning after this text is SQL that fixes its cause. */
const fixSeparator = '; to fix it: '

/** Splits a warning into its message and the SQL that fixes its cause. */
export function splitWarning(warning: string): readonly [message: string, fix: string] {
  const [message = '', fix = ''] = warning.split(fixSeparator)
  return [message, fix]
}

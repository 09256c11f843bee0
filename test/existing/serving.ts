import type { TestContext } from 'node:test'
import { createServer, type Model } from 'lapidary'
import { type Answer, readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { type Call, connect } from '../client.ts'
import { openStore } from '../engine/engine.ts'

/** A server over tables that were there first; every answer is checked before the test sees it. */
export interface Serving {
  /** What the start remarks on. */
  readonly remarks: readonly string[]
  get(path: string, query?: Call['query']): Promise<Answer>
  post(path: string, data: unknown): Promise<Answer>
}

/** Serves a model from a database until the test ends. */
export async function serve(test: TestContext, model: Model, url: string): Promise<Serving> {
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  const remarks = await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(async () => {
    client.close()
    await server.close()
    await store.close()
  })
  const call = async (method: string, path: string, options: Call) => {
    const exchange = await client.send(method, path, options)
    check(exchange)
    return readAnswer(exchange)
  }
  return {
    remarks,
    get: (path, query) => call('GET', path, { query }),
    post: (path, data) => call('POST', path, { body: { data } }),
  }
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import type { Express } from 'express'

/** Serves an Express application until the end of a test. @returns its origin */
export async function listen(test: TestContext, app: Express): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

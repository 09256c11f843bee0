import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Scope } from './cleanup.ts'

/**
 * Returns a free port. It is below the ports of outgoing connections, so other processes rarely use it, and a server that has
 * crashed can listen at it again.
 */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    if (await isFree(port)) return port
  }
}

/** Listens at a port of this machine until the test ends, and returns the port. */
export async function takePort(test: Scope): Promise<number> {
  const server = createServer()
  const port = await findPort()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  test.after(() => server.close())
  return port
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.on('error', () => resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  return promise
}

import { once } from 'node:events'
import { createServer as createBareServer, type Server } from 'node:http'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { createHandler, type HttpOptions } from 'lapidary'
import { createServer, jsonApi } from 'lapidary/fastify'
import { createNodeHandler } from 'lapidary/node'

/** Reads a header field of a request by its name in lower case. */
type ReadHeader = (name: string) => string | undefined

/** The options of a host. */
export interface HostOptions extends HttpOptions {
  readonly prefix: string
  /** Authenticates by header fields, because each host has a request type of its own. */
  readonly authenticateBy?: (header: ReadHeader) => unknown
}

/** A running application with the routes of the engine, and a route `/own` of its own. */
export interface RunningHost {
  readonly origin: string
  close(): Promise<void>
}

/** An application that mounts the engine. */
export interface Host {
  readonly name: string
  start(options: HostOptions): Promise<RunningHost>
}

/** Bytes of a request line and its header fields, as `createServer` accepts them. */
const maxHeaderSize = 64 * 1024

/** One host for each way to serve the engine. */
export const hosts: readonly Host[] = [
  {
    name: 'createServer',
    start: async ({ authenticateBy, ...options }) => {
      const app = createServer({
        ...options,
        logLevel: 'silent',
        // One of the tests sends an invalid host.
        allowedHosts: ['*'],
        ...(authenticateBy && {
          authenticate: ({ headers }) => authenticateBy((name) => toText(headers[name])),
        }),
      })
      app.get('/own', async () => ({ own: true }))
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      return { origin, close: () => app.close() }
    },
  },
  {
    name: 'a Fastify plugin',
    start: async ({ authenticateBy, ...options }) => {
      const app = fastify({ http: { maxHeaderSize } })
      app.register(jsonApi, {
        ...options,
        ...(authenticateBy && {
          authenticate: ({ headers }) => authenticateBy((name) => toText(headers[name])),
        }),
      })
      app.get('/own', async () => ({ own: true }))
      const origin = await app.listen({ host: '127.0.0.1', port: 0 })
      return { origin, close: () => app.close() }
    },
  },
  {
    name: 'node:http',
    start: async ({ authenticateBy, ...options }) => {
      const handle = createNodeHandler({
        ...options,
        log: silent,
        ...(authenticateBy && {
          authenticate: ({ headers }) => authenticateBy((name) => toText(headers[name])),
        }),
      })
      return listen(
        createBareServer({ maxHeaderSize }, (request, response) => {
          if (request.url === '/own') response.end('{"own":true}')
          else handle(request, response)
        }),
      )
    },
  },
  {
    name: 'Express',
    start: async ({ authenticateBy, ...options }) => {
      const app = express()
      app.use(
        createNodeHandler({
          ...options,
          log: silent,
          ...(authenticateBy && {
            authenticate: (request: express.Request) => authenticateBy((name) => request.get(name)),
          }),
        }),
      )
      app.get('/own', (_request, response) => void response.json({ own: true }))
      return listen(createBareServer({ maxHeaderSize }, app))
    },
  },
  {
    name: 'Hono',
    start: async ({ authenticateBy, ...options }) => {
      const handle = createHandler({
        ...options,
        log: silent,
        ...(authenticateBy && {
          authenticate: ({ headers }) => authenticateBy((name) => headers.get(name) ?? undefined),
        }),
      })
      const app = new Hono()
      app.get('/own', (context) => context.json({ own: true }))
      app.all('*', (context) => handle(context.req.raw))
      const { promise, resolve } = Promise.withResolvers<number>()
      const server = serve(
        { fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions: { maxHeaderSize } },
        ({ port }) => resolve(port),
      )
      const origin = `http://127.0.0.1:${await promise}`
      return { origin, close: () => closeServer(server) }
    },
  },
]

const ignore = () => {}
const silent = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}

async function listen(server: Server): Promise<RunningHost> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { origin: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
}

async function closeServer(
  server: Readonly<{ close(callback: () => void): unknown }>,
): Promise<void> {
  await new Promise((resolve) => {
    server.close(() => resolve(undefined))
    if ('closeIdleConnections' in server && typeof server.closeIdleConnections === 'function')
      server.closeIdleConnections()
  })
}

function toText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ')
}

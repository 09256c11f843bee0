import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServerFactory } from '../http/bounds/server-factory.ts'
import type { Snapshot } from './measurements.ts'
import { registerSnapshots, startMeters } from './prometheus.ts'

/** The options of `serveMetrics`. */
export interface MetricsServerOptions {
  /** The port to listen on; 0 chooses a free one. */
  readonly port: number
  /** The address to listen on. Default `127.0.0.1`: metrics are for the machine itself, and for those that it lets in. */
  readonly host?: string
  /** Returns what is served, e.g. the sum of several processes. Default: what this process measures from now on. */
  readonly collect?: () => Snapshot | Promise<Snapshot>
}

/** A server of metrics. */
export interface MetricsServer {
  /** The address of the page, e.g. `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  /** Ends the measurement, stops accepting connections, and finishes the responses that have begun. */
  close(): Promise<void>
}

/** The limits of the server. Few clients scrape, and each within seconds. Times are in milliseconds. */
const limits = {
  tls: undefined,
  maxConnections: 32,
  maxHeaderSize: 16 * 1024,
  requestTimeout: 5000,
  sendTimeout: 5000,
  queueTimeout: 60_000,
  publicUrl: undefined,
}
/** How long a response may take after `close`, in milliseconds. */
const closeTimeout = 1000

/**
 * Serves the metrics of this process to Prometheus, on a port of its own: `GET /metrics`, and nothing else. It needs the package
 * `prom-client`, and has the limits of `createServer` on connections, header fields and waiting.
 * @throws Error with a message of one line without the package, or when the port is in use
 */
export async function serveMetrics({
  port,
  host = '127.0.0.1',
  collect,
}: MetricsServerOptions): Promise<MetricsServer> {
  const { Registry } = await loadClient()
  const registry = new Registry()
  const meters = collect ? undefined : startMeters()
  registerSnapshots(registry, collect ?? meters?.snapshot ?? (() => ({})))
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const rejection = findRejection(request)
    if (rejection) return send(response, ...rejection)
    try {
      const text = await registry.metrics()
      send(response, 200, text, { 'content-type': registry.contentType })
    } catch {
      send(response, 500, 'The metrics could not be collected.\n')
    }
  }
  const server = createBoundedServer((request, response) => void respond(request, response))
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    meters?.stop()
    throw error
  }
  return {
    url: formatUrl(server),
    close: async () => {
      meters?.stop()
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), closeTimeout)
      await closed
      clearTimeout(timer)
    },
  }
}

async function loadClient(): Promise<typeof import('prom-client')> {
  try {
    return await import('prom-client')
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'ERR_MODULE_NOT_FOUND')
      throw error
    throw new Error('metrics need the package prom-client: npm install prom-client')
  }
}

function createBoundedServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const { serverFactory, clientErrorHandler } = createServerFactory({
    ...limits,
    documents: { jsonapi: '1.0' },
    allowedHosts: ['*'],
  })
  // The factory makes a server of `node:http`, whatever Fastify may ask of another one.
  const server = serverFactory(handle, {}) as Server
  Reflect.apply(server.on, server, ['clientError', clientErrorHandler])
  return server
}

type Answer = readonly [status: number, text: string, headers?: Readonly<Record<string, string>>]

/** Only the page of metrics exists, and can only be read. */
function findRejection({ url = '', method }: IncomingMessage): Answer | undefined {
  if (!/^\/metrics(?:\?|$)/.test(url)) return [404, 'There is only GET /metrics.\n']
  return method === 'GET' ? undefined : [405, 'There is only GET /metrics.\n', { allow: 'GET' }]
}

function send(response: ServerResponse, ...[status, text, headers]: Answer): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A client that still sends its body would have to be read to the end before the next request.
    ...(!response.req.complete && { connection: 'close' }),
    ...headers,
  })
  response.end(text)
}

function formatUrl(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return 'http://localhost/metrics'
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}/metrics`
}

import { createClient, type HttpClient, type TransportOptions } from 'lapidary/client'
import type { Engine } from '../engine/engine.ts'
import type { shopModel } from '../in-process/shop.ts'

/** A client of the shop over HTTP. */
type ShopHttpClient = HttpClient<(typeof shopModel)['declarations']>

/** A client whose requests go to the server of a suite, and the requests that it has sent: method and decoded path. */
interface ConnectedClient {
  readonly client: ShopHttpClient
  readonly requests: string[]
}

/**
 * Connects a client to the server of a suite. Every response is checked on its way to the client.
 * @param unknown - a method that a proxy on the way does not know
 */
export function connectClient(
  engine: Engine,
  options: TransportOptions = {},
  unknown?: string,
): ConnectedClient {
  const requests: string[] = []
  const send: TransportOptions['fetch'] = async (url, { method = 'GET', headers, body }) => {
    const path = url.replace('http://shop.test', '')
    requests.push(`${method} ${decodeURIComponent(path)}`)
    if (method === unknown) return new Response('', { status: 501 })
    const fields = Object.fromEntries(new Headers(headers))
    const raw = typeof body === 'string' ? body : undefined
    const response = await engine.call(method, path, { headers: fields, raw })
    return new Response(response.text || null, response)
  }
  const client = createClient<typeof shopModel>({
    url: 'http://shop.test',
    fetch: send,
    ...options,
  })
  return { client, requests }
}

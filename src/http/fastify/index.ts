/** The entry point `lapidary/fastify`: the plugin and the server. */
export { type JsonApiOptions, jsonApi } from './plugin.ts'
export type { Authenticate } from './routes.ts'
export { createServer, type ServerOptions } from './server.ts'

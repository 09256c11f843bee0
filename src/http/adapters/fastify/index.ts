/** The type of the option `authenticate`. */
export type { Authenticate } from './mount.ts'
/** The plugin for a Fastify application. */
export { defineJsonApiOptions, type JsonApiOptions, jsonApi } from './plugin.ts'
/** The server, for programs without a Fastify application of their own. */
export { createServer, type ServerOptions } from './server.ts'

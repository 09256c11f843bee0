/** The entry point `lapidary/fastify`: a server over Fastify. */
export { createServer, type ServerOptions } from './server.ts'

import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { defineJsonApiOptions, jsonApi } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { model } from './model.ts'
import { attachFile, closeIssue, openTracker } from './tracker.ts'

/** The settings of the application. */
interface Settings {
  /** The path of the SQLite file. */
  readonly database: string
  /** The key of the tokens' signatures. */
  readonly secret: string
  /** The origin of the web pages that call the API. */
  readonly webOrigin: string
  /** The requests that one address may send in a minute. */
  readonly maxRequests: number
}

/** Creates the tracker as a Fastify application, which closes the database when it is closed. */
export async function createApp(settings: Settings): Promise<FastifyInstance> {
  const { store, api, authenticate } = await openTracker(settings.database, settings.secret)
  const app = fastify({ logger: { level: 'warn' } })
  const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
  await app.register(cookie)
  await app.register(cors, { origin: settings.webOrigin, credentials: true, methods })
  await app.register(helmet)
  await app.register(rateLimit, { max: settings.maxRequests })
  await app.register(swagger, { openapi: { info: { title: 'Tracker', version: '1.0.0' } } })
  app.addHook('onClose', () => store.close())

  const getToken = ({ cookies, headers }: FastifyRequest) =>
    cookies.token ?? headers.authorization?.replace(/^Bearer /, '')
  const getUser = (request: FastifyRequest) => authenticate(getToken(request))
  const getClient = async (request: FastifyRequest) => {
    const { id: requestId, ip, log } = request
    return api.with({ auth: await getUser(request), requestId, ip, log })
  }

  const mount = defineJsonApiOptions({
    ...{ prefix: '/api', model, store, authenticate: getUser },
    ...{ html: createPages(), openapi: { title: 'Tracker' } },
  })
  app.register(jsonApi, mount)
  app.post<Closing>('/api/issues/:id/close', { schema: commented }, async (request) =>
    closeIssue(await getClient(request), request.params.id, request.body.comment),
  )
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, passOn)
  app.put<Upload>('/api/issues/:id/attachments/:name', async (request, reply) => {
    const file = { name: request.params.name, bytes: request.body }
    reply.code(201)
    return attachFile(await getClient(request), request.params.id, file)
  })
  app.post('/session', async (request, reply) => {
    await getUser(request)
    const options = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const
    reply.setCookie('token', getToken(request) ?? '', options).code(204)
  })
  app.get('/openapi.json', async () => app.swagger())
  return app
}

type Closing = Readonly<{ Params: { id: string }; Body: { comment: string } }>
type Upload = Readonly<{ Params: { id: string; name: string }; Body: unknown }>
const commented = { body: { type: 'object', required: ['comment'] } }
const passOn = async (_request: FastifyRequest, body: Buffer) => body

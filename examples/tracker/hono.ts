import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { parse } from 'hono/utils/cookie'
import { createErrorResponse, createHandler } from 'lapidary'
import { model } from './model.ts'
import { attachFile, closeIssue, openTracker } from './tracker.ts'

/** Creates the tracker as a Hono application: `fetch` answers requests, `close` closes the database. */
export async function createHonoApp(database: string, secret: string, webOrigin: string) {
  const { store, api, authenticate } = await openTracker(database, secret)
  const getUser = ({ headers }: Request) =>
    authenticate(
      parse(headers.get('cookie') ?? '').token ??
        headers.get('authorization')?.replace(/^Bearer /, ''),
    )
  const getClient = async (request: Request) => api.with({ auth: await getUser(request) })
  const handle = createHandler({ prefix: '/api', model, store, authenticate: getUser })

  const app = new Hono()
  app.use(secureHeaders())
  app.use(cors({ origin: webOrigin, credentials: true }))
  app.post('/api/issues/:id/close', async (context) => {
    const { comment } = await context.req.json<{ comment: string }>().catch(() => ({ comment: '' }))
    const client = await getClient(context.req.raw)
    return context.json(await closeIssue(client, context.req.param('id'), comment))
  })
  app.put('/api/issues/:id/attachments/:name', async (context) => {
    const client = await getClient(context.req.raw)
    const { id, name } = context.req.param()
    const file = { name, bytes: new Uint8Array(await context.req.arrayBuffer()) }
    return context.json(await attachFile(client, id, file), 201)
  })
  app.all('/api/*', ({ req }) => handle(req.raw))
  app.onError((error) => {
    const response = createErrorResponse(error, model)
    if (response === undefined) throw error
    return new Response(response.body, response)
  })
  return { fetch: app.fetch, close: () => store.close() }
}

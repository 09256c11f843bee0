import { parseCookie } from 'cookie'
import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import { createErrorResponse } from 'lapidary'
import { createNodeHandler } from 'lapidary/node'
import { model } from './model.ts'
import { attachFile, closeIssue, openTracker } from './tracker.ts'

/** Creates the tracker as an Express application; `close` closes the database. */
export async function createExpressApp(database: string, secret: string) {
  const { store, api, authenticate } = await openTracker(database, secret)
  const getUser = (request: Request) =>
    authenticate(
      parseCookie(request.get('cookie') ?? '').token ??
        request.get('authorization')?.replace(/^Bearer /, ''),
    )
  const getClient = async (request: Request) =>
    api.with({ auth: await getUser(request), ip: request.ip })

  const app: Express = express()
  app.post('/api/issues/:id/close', express.json(), async (request, response) => {
    const client = await getClient(request)
    response.json(await closeIssue(client, request.params.id, request.body?.comment))
  })
  const readBytes = express.raw({ type: () => true })
  app.put('/api/issues/:id/attachments/:name', readBytes, async (request, response) => {
    const { id, name } = request.params
    const file = { name, bytes: request.body }
    response.status(201).json(await attachFile(await getClient(request), id, file))
  })
  app.use(createNodeHandler({ prefix: '/api', model, store, authenticate: getUser }))
  app.use(reportError)
  return { app, close: () => store.close() }
}

/** Sends the errors of the routes above as JSON:API documents. */
const reportError: ErrorRequestHandler = (error, _request, response, next) => {
  const { status, headers, body } = createErrorResponse(error, model) ?? {}
  if (status === undefined) next(error)
  else response.status(status).set(headers).send(body)
}

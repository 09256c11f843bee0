import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectTypeOf } from 'expect-type'
import type { Request as ExpressRequest } from 'express'
import type { FastifyInstance } from 'fastify'
import {
  attribute,
  createApi,
  createHandler,
  declare,
  defineModel,
  type Store,
  text,
} from 'lapidary'
import { createServer, defineJsonApiOptions, type JsonApiOptions, jsonApi } from 'lapidary/fastify'
import { createNodeHandler } from 'lapidary/node'

/** The user of a request. */
interface User {
  readonly id: string
  readonly role?: 'admin' | 'member'
}

const fields = { name: attribute(text) }
const signedIn = declare<{ auth: User }>()
const thing = signedIn.resource('thing', { path: '/things', table: 'thing', fields })
const maybe = declare<{ auth: User | undefined }>()
const note = maybe.resource('note', {
  path: '/notes',
  table: 'note',
  // Rules do not run for requests without an auth context.
  access: { read: ({ id }) => id === '1', create: maybe.auth(({ id }) => id === '1') },
  hooks: {
    beforeCreate(_change, { auth }) {
      expectTypeOf(auth).toEqualTypeOf<User | undefined>()
    },
  },
  fields,
})

/** A route handler of Next.js: https://nextjs.org/docs/app/api-reference/file-conventions/route */
type NextRoute = (
  request: Request,
  context: { params: Promise<{ path: string[] }> },
) => Promise<Response>

/** The types that follow from the auth context of a model. Nothing here runs. */
function authContexts(store: Store, app: FastifyInstance, request: Request): readonly unknown[] {
  const model = signedIn.defineModel([thing])
  const open = maybe.defineModel([note])
  const untyped = defineModel([thing])
  const user: User = { id: '1' }
  const api = createApi({ model, store })
  return [
    createServer({ model, store, authenticate: () => user }),
    createServer({ model, store, authenticate: async () => user }),
    createServer({ model: open, store, authenticate: () => undefined }),
    createServer({ model: untyped, store, authenticate: () => 5 }),
    // A literal keeps its type, whether the auth context may be undefined or not.
    createServer({ model, store, authenticate: ({ ip: id }) => ({ id, role: 'admin' }) }),
    createServer({ model: open, store, authenticate: ({ ip: id }) => ({ id, role: 'admin' }) }),
    createHandler({
      model: open,
      store,
      authenticate: async ({ url: id }) => (id === '' ? undefined : { id, role: 'admin' }),
    }),
    createNodeHandler({ model: open, store, authenticate: (_) => ({ id: '1', role: 'member' }) }),
    defineJsonApiOptions({
      model: open,
      store,
      authenticate: (_) => ({ id: '1', role: 'member' }),
    }),
    createHandler({ model, store, authenticate: async () => user }),
    createNodeHandler({ model, store, authenticate: () => user }),
    createNodeHandler({
      model,
      store,
      authenticate: ({ ip }: ExpressRequest) => (ip ? user : { id: '0' }),
    }),
    createHandler({ model, store, authenticate: () => user })(request, { auth: user }),
    createHandler({ model: open, store }),
    createHandler({ model, store, authenticate: () => user })(request, { auth: undefined }),
    createHandler({ model: untyped, store })(request, { auth: 5 }),
    createHandler({ model: open, store }) satisfies NextRoute,
    createServer({ model: open, store }),
    createServer({ model: untyped, store }),
    createNodeHandler({ model: open, store }),
    app.register(jsonApi, { model, store, authenticate: () => user }),
    app.register(
      jsonApi,
      defineJsonApiOptions({ prefix: '/api', model, store, authenticate: async () => user }),
    ),
    app.register(jsonApi, defineJsonApiOptions({ model: open, store })),
    app.register(jsonApi, defineJsonApiOptions({ model: untyped, store, authenticate: () => 5 })),
    { model, store, authenticate: () => user } satisfies JsonApiOptions<User>,
    // @ts-expect-error no user
    createServer({ model, store, authenticate: () => 5 }),
    // @ts-expect-error every request has a user
    createServer({ model, store, authenticate: () => undefined }),
    // @ts-expect-error no user
    createHandler({ model, store, authenticate: async () => ({ name: 'Ada' }) }),
    // @ts-expect-error no user
    createNodeHandler({ model, store, authenticate: () => 'Ada' }),
    // @ts-expect-error no user
    createNodeHandler({ model, store, authenticate: ({ ip }: ExpressRequest) => ip }),
    // @ts-expect-error no user
    createHandler({ model, store, authenticate: () => user })(request, { auth: 'Ada' }),
    // @ts-expect-error every request has a user
    createHandler({ model, store }),
    // @ts-expect-error every request has a user
    createServer({ model, store }),
    // @ts-expect-error every request has a user
    createNodeHandler({ model, store }),
    // Fastify takes the type of the options from the plugin alone, so `defineJsonApiOptions` checks them.
    app.register(jsonApi, { model, store, authenticate: () => 5 }),
    // @ts-expect-error no user
    app.register(jsonApi, defineJsonApiOptions({ model, store, authenticate: () => 5 })),
    // @ts-expect-error every request has a user
    app.register(jsonApi, defineJsonApiOptions({ model, store })),
    // @ts-expect-error there is no such option
    app.register(jsonApi, defineJsonApiOptions({ model: open, store, prefx: '/api' })),
    // @ts-expect-error no user
    { model, store, authenticate: () => 5 } satisfies JsonApiOptions<User>,
    api.with({ auth: user }),
    createApi({ model: open, store }).with(),
    createApi({ model: open, store }).with({ auth: user }),
    createApi({ model: untyped, store }).with({ auth: 5 }),
    // @ts-expect-error every call has a user
    api.with(),
    // @ts-expect-error every call has a user
    api.with({ requestId: '1' }),
    // @ts-expect-error no user
    api.with({ auth: 'Ada' }),
    // @ts-expect-error no user
    createApi({ model: open, store }).with({ auth: 5 }),
  ]
}

it('the file compiles', () => {
  assert.equal(typeof authContexts, 'function')
})

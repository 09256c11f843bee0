import { createServer } from 'node:http'
import express from 'express'
import jsonApi from 'jsonapi-server'
import { computers, persons } from './rows.js'

const { Joi } = jsonApi

/** jsonapi-server by its own handler, which keeps everything in memory. */
export async function start(database) {
  const app = express().disable('x-powered-by').disable('etag')
  jsonApi.setConfig({ router: app, protocol: 'http', hostname: '127.0.0.1', port: 80, base: '' })
  define(
    'persons',
    {
      id: Joi.string(),
      name: Joi.string(),
      email: Joi.string().allow(null),
      birth_date: Joi.string().allow(null),
      gender: Joi.string().allow(null),
      computers: Joi.many('computers'),
    },
    persons(database).map(({ id, computers: owned, ...person }) => ({
      id: String(id),
      type: 'persons',
      ...person,
      computers: owned.map((each) => ({ type: 'computers', id: String(each) })),
    })),
  )
  define(
    'computers',
    { id: Joi.string(), serial: Joi.string(), owner: Joi.one('persons') },
    computers(database).map(({ id, serial, owner }) => ({
      id: String(id),
      type: 'computers',
      serial,
      owner: { type: 'persons', id: String(owner) },
    })),
  )
  jsonApi.start()
  const server = createServer(app)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: server.address().port, close: async () => server.close() }
}

function define(resource, attributes, examples) {
  jsonApi.define({
    resource,
    handlers: new jsonApi.MemoryHandler(),
    searchParams: {},
    attributes,
    examples,
  })
}

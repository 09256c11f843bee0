import { belongsTo, dateonly, hasMany, integer, string, text } from '@hatchifyjs/core'
import { hatchifyKoa } from '@hatchifyjs/koa'
import Koa from 'koa'

const id = integer({ autoIncrement: true, required: true })

const schemas = {
  Person: {
    name: 'Person',
    id,
    attributes: {
      name: text({ required: true }),
      email: string(),
      birthDate: dateonly(),
      gender: string(),
    },
    relationships: { computers: hasMany('Computer', { targetAttribute: 'personId' }) },
  },
  Computer: {
    name: 'Computer',
    id,
    attributes: { serial: text({ required: true }), personId: integer() },
    relationships: { owner: belongsTo('Person', { sourceAttribute: 'personId' }) },
  },
}

/** Hatchify on Koa, by Sequelize and pg; the driver for SQLite that Sequelize takes is no longer to be had ready built. */
export async function start(database) {
  const hatchify = hatchifyKoa(schemas, { prefix: '', database: { uri: database, logging: false } })
  const app = new Koa()
  app.use(hatchify.middleware.allModels.all)
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { port: server.address().port, close: async () => server.close() }
}

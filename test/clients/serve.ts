import { afterEach, beforeEach } from 'node:test'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import {
  attribute,
  date,
  defineModel,
  type Model,
  resource,
  text,
  toMany,
  toOne,
} from '../../src/index.ts'
import { openSqlite } from '../../src/sqlite/store.ts'

/** The names of the resource types: `computer`, as in the service, or `computers`, as in the path. */
export type TypeNames = 'singular' | 'plural'

/** A server that a client library calls, with fresh data for each test. */
interface Served {
  /** The address, without a slash at the end. */
  readonly url: string
  /** The requests of the current test: method and decoded URL, e.g. `GET /persons?filter[name]=Ada`. */
  readonly requests: readonly string[]
}

const tables = `
  create table person (id integer primary key autoincrement, name text not null, birth_date text);
  create table computer (id integer primary key autoincrement, serial text not null,
    person_id integer references person (id));
  insert into person (name, birth_date) values
    ('Ada', '1815-12-10'), ('Grace', '1906-12-09'), ('Annie', null);
  insert into computer (serial, person_id) values ('A-1', 1), ('A-2', 1), ('G-1', 2);`

const models: Readonly<Record<TypeNames, Model>> = {
  singular: defineModel(declare('person', 'computer'), { atomic: true }),
  plural: defineModel(declare('persons', 'computers'), { atomic: true }),
}

/**
 * Serves persons and computers on a free port of 127.0.0.1 while a test of the suite runs. Person 1 is Ada with the computers
 * person 2 is Grace with G-1, person 3 is Annie. Call it in the body of `describe`.
 */
export function serve(types: TypeNames): Served {
  const requests: string[] = []
  let url = ''
  let close = async () => {}
  beforeEach(async () => {
    const model = models[types]
    const store = openSqlite(model, ':memory:')
    await store.migrate([{ version: 1, sql: tables }])
    const server = createServer({ model, store, logLevel: 'silent' })
    server.addHook('onRequest', async ({ method, url }) => {
      requests.push(`${method} ${decodeURIComponent(url)}`)
    })
    url = await server.listen({ host: '127.0.0.1', port: 0 })
    close = async () => {
      await server.close()
      await store.close()
    }
  })
  afterEach(async () => {
    await close()
    requests.length = 0
  })
  return {
    requests,
    get url() {
      return url
    },
  }
}

function declare<const Person extends string, const Computer extends string>(
  person: Person,
  computer: Computer,
) {
  return [
    resource(person, {
      path: '/persons',
      table: 'person',
      fields: {
        name: attribute(text, { required: true }),
        birth_date: attribute(date),
        computers: toMany(computer, { column: 'person_id' }),
      },
    }),
    resource(computer, {
      path: '/computers',
      table: 'computer',
      fields: {
        serial: attribute(text, { required: true }),
        owner: toOne(person, { column: 'person_id' }),
      },
    }),
  ] as const
}

/** A filter with an operator, as a value of the query parameter `filter`. It matches G-1. */
export const startsWithG = JSON.stringify([{ name: 'serial', op: 'startswith', val: 'G' }])

/** Returns a member of each record of a list that a client library made. */
export function pluck(records: Iterable<object>, name: string): unknown[] {
  return Array.from(records, (record) => Reflect.get(record, name))
}

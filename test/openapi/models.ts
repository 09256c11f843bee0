import fc from 'fast-check'
import {
  array,
  attribute,
  date,
  defineModel,
  email,
  idQuery,
  integer,
  json,
  type Model,
  nullable,
  resource,
  sql,
  tableFunction,
  text,
  toMany,
  toOne,
  withDefault,
} from 'lapidary'
import { evaluateDeclarations } from '../../cli/introspect/evaluate-declarations.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { resources as musicStore } from '../../examples/chinook/resources/index.ts'
import { model as tracker } from '../../examples/tracker/model.ts'
import { resources as service } from '../../service/resources/index.ts'
import { schemas, sqliteSql } from '../cli/schemas/random-schema.ts'
import { databases } from '../databases.ts'
import { execute } from '../filled.ts'
import { seed } from '../property/seed.ts'

/** The models whose descriptions are verified by other tools, by name. */
export async function listModels(): Promise<Readonly<Record<string, Model>>> {
  return {
    service: defineModel(service),
    'music-store': defineModel(musicStore),
    tracker,
    names: unusualNames,
    functions: storedFunctions,
    ...(await listRandomModels(4)),
  }
}

/** Types and fields whose names no component, path or TypeScript identifier can have. */
export const unusualNames: Model = defineModel([
  resource('größe', {
    path: '/gr~o_-ss3',
    table: 'a',
    fields: {
      constructor: attribute(text),
      名: attribute(text, { description: 'A "name" with */ and `ticks`.' }),
      größen: toMany('größe', { column: 'b' }),
    },
  }),
  resource('gr__e', { path: '/b', table: 'a', fields: { 'a-b': toOne('größe', { column: 'b' }) } }),
])

/** A table function and a query with parameters of every form. */
const storedFunctions: Model = defineModel([
  resource('sales', {
    path: '/sales',
    table: tableFunction(
      { since: date, keys: array(integer), most: withDefault(integer, 3), options: nullable(json) },
      () => sql`select 1 as id`,
    ),
    access: 'read-only',
    fields: { total: attribute(integer) },
  }),
  resource('shop', {
    path: '/shops',
    table: 'shop',
    queries: {
      near: idQuery({ at: json, label: withDefault(text, 'x') }, () => sql`select 1 as id`),
    },
    fields: { name: attribute(text) },
  }),
])

/** The models of the tables of random schemas; some have no table that can be a resource. */
async function listRandomModels(count: number): Promise<Record<string, Model>> {
  const [database] = databases
  const models: Record<string, Model> = {}
  for (const tables of fc.sample(schemas, { numRuns: count * 3, seed })) {
    if (Object.keys(models).length === count) break
    const opened = await database?.create()
    if (opened === undefined) break
    try {
      await execute(opened.url, sqliteSql(tables))
      const declarations = await readDeclarations(opened.url, { types: 'plural' })
      const index = Object.keys(models).length
      models[`random-${index}`] = defineModel(evaluateDeclarations(declarations))
    } catch (error) {
      if (!String(error).includes('no table can be a resource')) throw error
    } finally {
      await opened.remove()
    }
  }
  return models
}

/** A model of many types: each has ten attributes and three relationships, and all are connected. */
export function createLargeModel(count: number): Model {
  const nameOf = (index: number) => `thing${(index + count) % count}`
  const names = ['name', 'title', 'subtitle', 'comment', 'language', 'category', 'position', 'size']
  return defineModel(
    Array.from({ length: count }, (_, index) =>
      resource(nameOf(index), {
        path: `/${nameOf(index)}s`,
        table: nameOf(index),
        description: 'One of many types, each of which has a sentence that describes it.',
        fields: {
          ...Object.fromEntries(names.map((name) => [name, attribute(text)])),
          amount: attribute(integer, { required: true, description: 'How many there are.' }),
          contact: attribute(email, { access: 'write-only' }),
          previous: toOne(nameOf(index - 1), { column: 'previous_id' }),
          following: toMany(nameOf(index + 1), { column: 'previous_id' }),
          others: toMany(nameOf(index * 3 + 5), { column: 'other_id' }),
        },
      }),
    ),
  )
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  defineModel,
  expression,
  integer,
  resource,
  sql,
  tableFunction,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { getResourceType } from '../../../src/model/model.ts'
import { parseQuery } from '../../../src/parse/query.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { planCollection, planResource } from '../../../src/plan/read.ts'
import { postgresDialect } from '../../../src/postgres/dialect.ts'
import { findPointRead } from '../../../src/sql/read/compile-read.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import { emptyTarget } from '../empty-facts.ts'

const model = defineModel([
  resource('shelf', {
    path: '/shelves',
    table: 'shelf',
    fields: { books: toMany('book', { column: 'shelf_id' }) },
  }),
  resource('book', {
    path: '/books',
    table: 'book',
    fields: {
      title: attribute(text),
      length: expression(integer, (column) => sql`length(${column('title')})`),
      shelf: toOne('shelf', { column: 'shelf_id' }),
    },
  }),
  resource('copy', {
    path: '/copies',
    table: 'copy',
    fields: { label: toOne('label', { column: 'label_id' }) },
  }),
  resource('label', {
    path: '/labels',
    table: 'label',
    scope: (column) => sql`${column('is_old')} = 0`,
    fields: { name: attribute(text) },
  }),
  resource('sale', {
    path: '/sales',
    access: 'read-only',
    table: tableFunction({}, () => sql`select 1 as id, 'a' as name`),
    fields: { name: attribute(text) },
  }),
])
const planner = createPlanner(model)
const dialects = { SQLite: sqliteDialect, PostgreSQL: postgresDialect('C') }

describe('A point read', () => {
  for (const [database, dialect] of Object.entries(dialects))
    for (const [request, expected] of [
      ['book?fields[book]=title', 'one row'],
      ['book?fields[book]=title,shelf', 'one row'],
      ['copy', 'other rows'],
      ['label', 'other rows'],
      ['book?fields[book]=length', undefined],
      ['shelf', 'one row'],
      ['book?fields[book]=shelf&include=shelf', undefined],
      ['sale', undefined],
    ] as const)
      it(`of ${request} visits ${expected ?? 'any number of rows, so it is none'} on ${database}`, () => {
        const [type = '', search = ''] = request.split('?')
        const path = { resource: getResourceType(model, type) }
        const { shape } = planResource(planner, parseQuery(search), path)
        const { facts, ...empty } = emptyTarget(model, dialect)
        const target = { ...empty, facts: { ...facts, hasUniqueIds: () => true } }
        assert.equal(findPointRead(shape, target), expected)
        const inView = { ...empty, facts: { ...facts, hasUniqueIds: () => false } }
        assert.equal(findPointRead(shape, inView), expected && 'other rows')
      })

  it('is none that reads a list', () => {
    const path = { resource: getResourceType(model, 'book') }
    const { shape } = planCollection(planner, parseQuery('fields[book]=title'), path)
    assert.equal(findPointRead(shape, emptyTarget(model, sqliteDialect)), undefined)
  })
})

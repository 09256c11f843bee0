import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  auth,
  date,
  defineModel,
  enumeration,
  integer,
  json,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import {
  describeModel,
  getTypeDescription,
  listUsableTypes,
} from '../../src/describe/describe-model.ts'
import { compileAccess } from '../../src/plan/access/access-shapes.ts'
import { createFullRights, createRightsFinder } from '../../src/plan/access/rights.ts'

type User = Readonly<{ id: string; role: string }>
const isAdmin = auth((user: User) => user.role === 'admin')

const model = defineModel([
  resource('note', {
    path: '/notes',
    table: 'note',
    access: { read: true, create: true, update: true, delete: isAdmin },
    fields: {
      code: attribute(text, { access: 'immutable', required: true }),
      author: attribute(text, { set: auth((user: User) => user.id) }),
      day: attribute(date, { required: true, default: () => '2024-02-29' }),
      level: attribute(enumeration(['low', 'high'])),
      cost: attribute(integer, { readable: isAdmin, writable: isAdmin }),
      meta: attribute(json, { paths: { city: text } }),
      shelf: toOne('shelf', { column: 'shelf_id', required: true }),
    },
  }),
  resource('shelf', {
    path: '/shelves',
    table: 'shelf',
    access: { read: isAdmin },
    fields: { notes: toMany('note', { column: 'shelf_id', count: true }) },
  }),
])

const describeFor = (role: string) =>
  describeModel(createRightsFinder(model, compileAccess(model))({ id: '1', role }))

describe('The description of a model', () => {
  const note = getTypeDescription(describeModel(createFullRights(model)), 'note')
  const namesOf = (isListed: (field: (typeof note.fields)[number]) => boolean) =>
    note.fields.filter(isListed).map(({ name }) => name)

  it('has the fields that a create and an update may send, and those that a create must', () => {
    const others = ['day', 'level', 'cost', 'meta', 'shelf']
    assert.deepEqual(
      namesOf(({ isCreatable }) => isCreatable),
      ['code', ...others],
    )
    assert.deepEqual(
      namesOf(({ isUpdatable }) => isUpdatable),
      others,
    )
    assert.deepEqual(
      namesOf(({ isRequired }) => isRequired),
      ['code', 'shelf'],
    )
  })

  it('has the names of filters with their operators, and those of sorts', () => {
    const level = note.filters.find(({ name }) => name === 'level')
    assert.ok(level?.is === 'attribute')
    const search = level.operators.filter(({ is }) => is === 'search')
    assert.deepEqual(
      [level.operators.length > 5, search.map(({ operand }) => operand.name)],
      [true, []],
    )
    assert.ok(note.filters.some(({ name }) => name === 'meta__city'))
    assert.deepEqual(note.sorts, ['id', 'code', 'author', 'day', 'level', 'cost', 'meta.city'])
    const shelf = getTypeDescription(describeModel(createFullRights(model)), 'shelf')
    assert.deepEqual(shelf.sorts, ['id', 'notes.count'])
  })

  it('has what exists for an identity, and the methods that no rule refuses for it', () => {
    const member = describeFor('member')
    assert.deepEqual(getTypeDescription(member, 'note').hidden, ['cost'])
    assert.equal(getTypeDescription(member, 'shelf').isReadable, false)
    const methodsOf = (described: typeof member) =>
      described.paths.find(({ path }) => path === '/notes/:id')?.methods
    assert.deepEqual(methodsOf(member), ['GET', 'PATCH'])
    assert.deepEqual(methodsOf(describeFor('admin')), ['GET', 'PATCH', 'DELETE'])
    assert.deepEqual(
      listUsableTypes(member).map(({ type }) => type),
      ['note', 'shelf'],
    )
  })

  it('makes examples of an OpenAPI document that the server accepts: of a create without what the server sets, of an update without what never changes', () => {
    const { schemas } = describeApi(model).components
    const exampleOf = (name: string) => Object(schemas[name]).examples[0].attributes
    const names = ['code', 'day', 'level', 'cost', 'meta']
    assert.deepEqual(Object.keys(exampleOf('note.new')), names)
    assert.deepEqual(Object.keys(exampleOf('note.update')), ['day'])
    const { attributes } = Object(schemas['note.new']).properties
    assert.deepEqual(attributes.required, ['code'])
  })
})

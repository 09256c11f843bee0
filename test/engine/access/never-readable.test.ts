import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, declare, text, toMany, toOne } from 'lapidary'
import { createPages } from 'lapidary/html'
import type { OpenApiDocument } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

const { auth, resource, defineModel } = declare<{ auth: { role: string } | undefined }>()
const isLead = auth(({ role }) => role === 'lead')

const person = resource('person', {
  path: '/people',
  table: 'person',
  access: { read: true, create: isLead, update: isLead, delete: isLead },
  fields: {
    name: attribute(text),
    reviews: toMany('review', { column: 'person_id' }),
    last: toOne('review', { column: 'last_id' }),
    first: toOne('review', { column: 'first_id', readable: isLead, writable: isLead }),
  },
})
const review = resource('review', {
  path: '/reviews',
  table: 'review',
  access: { read: isLead, create: isLead, update: isLead, delete: isLead },
  fields: { verdict: attribute(text), person: toOne('person', { column: 'person_id' }) },
})

const rows = `
  insert into person (id, name, last_id, first_id) values (1, 'Ada', 7, 7);
  insert into review (id, verdict, person_id) values (7, 'hidden words', 1)`

const served = {
  model: defineModel([person, review]),
  tables: ({ newId }: ColumnTypes) => `
    create table person (id ${newId}, name text, last_id integer, first_id integer);
    create table review (id ${newId}, verdict text, person_id integer references person (id));
    ${rows}`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
      headers['x-role'] === undefined ? undefined : { role: String(headers['x-role']) },
  },
}

engine('A relationship to a type that the identity never reads', served, (fixture) => {
  const get = (path: string, role = 'member') =>
    fixture.call('GET', path, { headers: { 'x-role': role } })
  const links = (name: string) => ({
    self: `/people/1/relationships/${name}`,
    related: `/people/1/${name}`,
  })

  it('is a field of documents: without members, or null', async () => {
    const { body, text } = await get('/people/1?include=reviews,last.person')
    assert.deepEqual(body.data, {
      ...{ type: 'person', id: '1', attributes: { name: 'Ada' } },
      relationships: {
        reviews: { links: links('reviews'), data: [] },
        last: { links: links('last'), data: null },
      },
      links: { self: '/people/1' },
    })
    assert.deepEqual(body.included, [])
    assert.doesNotMatch(text, /first|hidden/)
    for (const [name, empty] of [
      ['reviews', []],
      ['last', null],
    ] as const) {
      assert.deepEqual((await get(`/people/1/relationships/${name}`)).body.data, empty)
      assert.deepEqual((await get(`/people/1/${name}`)).body.data, empty)
    }
    const { many, body: list } = await get('/people?include=reviews')
    assert.deepEqual(many[0]?.relationships?.reviews?.data, [])
    assert.deepEqual(list.included, [])
    const lead = await get('/people/1?include=reviews,first', 'lead')
    assert.deepEqual(lead.one.relationships?.first?.data, { type: 'review', id: '7' })
    assert.equal(lead.body.included?.length, 1)
  })

  it('is an unknown name if its own rule hides it', async () => {
    const { status, body } = await get('/people/1?include=first')
    assert.equal(status, 400)
    assert.deepEqual(
      body.errors?.map(({ code, detail }) => [code, detail]),
      [
        [
          'invalid_include',
          'include: person has no relationship "first", in "first"; the relationships of person are "reviews", "last".',
        ],
      ],
    )
    assert.equal((await get('/people/1/first')).status, 404)
    assert.equal((await get('/people/1/relationships/first')).status, 404)
  })

  it('matches nothing in a filter and leaves a sort as it is', async () => {
    const filter = (val: unknown) =>
      `/people?filter=${encodeURIComponent(JSON.stringify([{ name: 'reviews', op: 'any', val }]))}`
    for (const val of [null, { name: 'verdict', op: 'eq', val: 'hidden words' }])
      assert.deepEqual((await get(filter(val))).body.data, [])
    assert.equal((await get('/people?sort=last.verdict')).many.length, 1)
    // A rule for the rows of a type hides no names: that of a field does.
    const { body } = await get('/people?sort=last.nothing')
    assert.match(body.errors?.[0]?.detail ?? '', /review has no field "nothing".*"verdict"/)
  })
})

describe('The descriptions of a relationship to a type that the identity never reads', () => {
  const { model } = served
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({
    ...{ model, store, openapi: true, html: createPages() },
    authenticate: ({ headers }) => ({ role: headers.get('x-role') ?? '' }),
  })
  before(() =>
    store.migrate([
      {
        version: 1,
        sql: `create table person (id integer primary key, name text, last_id integer, first_id integer);
          create table review (id integer primary key, verdict text, person_id integer references person (id));
          ${rows}`,
      },
    ]),
  )
  after(() => store.close())

  const get = async (path: string, role = 'member', accept = 'application/vnd.api+json') => {
    const headers = { 'x-role': role, accept }
    const response = await handle(new Request(`http://team.test${path}`, { headers }))
    return { status: response.status, text: await response.text() }
  }

  it('have the relationship: the OpenAPI document, the JSON Schema and the root document, without the fields of the type', async () => {
    const root = await get('/')
    assert.deepEqual(JSON.parse(root.text).meta, {
      resources: {
        person: { path: '/people', relationships: { reviews: 'review', last: 'review' } },
      },
    })
    const openapi = await get('/openapi.json')
    const { paths, components }: OpenApiDocument = JSON.parse(openapi.text)
    assert.deepEqual(
      Object.keys(paths).filter((path) => /people|review/.test(path)),
      ['/people', '/people/{id}', '/people.schema.json'],
    )
    const schema = await get('/people.schema.json')
    for (const { person } of [components.schemas, JSON.parse(schema.text).$defs]) {
      const { relationships } = Object(person).properties
      assert.deepEqual(Object.keys(relationships.properties), ['reviews', 'last'])
    }
    for (const { text } of [root, openapi, schema]) assert.doesNotMatch(text, /verdict|first_id/)
    assert.equal((await get('/reviews.schema.json')).status, 404)
    assert.match((await get('/openapi.json', 'lead')).text, /verdict/)
  })

  it('are pages with the relationship, without a form or a filter that names the fields of the type', async () => {
    const page = await get('/people/1?include=reviews', 'member', 'text/html')
    assert.match(page.text, /<dt><bdi>reviews<\/bdi><\/dt><dd><div><span class="null">none<\/span>/)
    const related = await get('/people/1/reviews', 'member', 'text/html')
    assert.match(related.text, /0 resources/)
    const list = await get('/reviews', 'member', 'text/html')
    assert.match(list.text, /0 resources/)
    const model = await get('/html.model.json', 'member', 'application/json')
    for (const { text } of [page, related, list, model]) assert.doesNotMatch(text, /verdict/)
    assert.doesNotMatch(model.text, /reviews|last/)
  })
})

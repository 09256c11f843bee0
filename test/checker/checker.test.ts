import { AssertionError, deepEqual, doesNotThrow, equal, ok, throws } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Exchange } from '../client.ts'
import { breaches, check } from './checker.ts'
import {
  alsoGood,
  changed,
  collection,
  compound,
  computer,
  created,
  deleted,
  headOnly,
  linkageList,
  options,
  ours,
  person,
  refused,
  shared,
  single,
  sparse,
  unknownMethod,
} from './examples.ts'
import { checkSchema } from './schema.ts'

const bodiless = { text: '' }
const headers = (exchange: Exchange, change: Record<string, string>): Exchange => {
  return { ...exchange, headers: { ...exchange.headers, ...change } }
}
const without = (exchange: Exchange, name: string): Exchange => {
  const { [name]: _, ...rest } = exchange.headers
  return { ...exchange, headers: rest }
}

const good: Record<string, Exchange> = {
  'one resource': single,
  'a page': collection,
  'two steps of include': compound,
  'a shared included resource': shared,
  'the linkage of a relationship': linkageList,
  'a sparse fieldset': sparse,
  'a created resource': created,
  'a deletion': deleted,
  'two errors': refused,
  'a wrong method': unknownMethod,
  'a fault of our own': ours,
  HEAD: headOnly,
  OPTIONS: options,
  ...alsoGood,
}

/** An answer that breaks exactly these rules, at this place. */
type Bad = readonly [rules: string, at: string, sentence: string, exchange: Exchange]

const p = '/data/relationships/computers'

// biome-ignore format: a table, one row for each check
const bad: readonly Bad[] = [
  ['NEG-1', '', 'a charset behind the media type', headers(single, { 'content-type': 'application/vnd.api+json; charset=utf-8' })],
  ['NEG-1', '', 'plain JSON', headers(refused, { 'content-type': 'application/json' })],
  ['NEG-1', '', 'HEAD without a media type', without(headOnly, 'content-type')],
  ['service.md#content-negotiation', '', 'no Vary', without(single, 'vary')],
  ['service.md#content-negotiation', '', 'Vary without Accept', headers(single, { vary: 'Origin' })],
  ['limits', '', 'no X-Content-Type-Options', without(single, 'x-content-type-options')],
  ['GEN-2', '', 'a body after HEAD', { ...single, method: 'HEAD' }],
  ['GEN-2', '', 'a body beside 204', { ...deleted, status: 204 }],
  ['GEN-2', '', '405 without Allow', without(unknownMethod, 'allow')],
  ['GEN-2', '', 'Allow lists the refused method', headers(unknownMethod, { allow: 'GET, PUT' })],
  ['GEN-2', '', 'OPTIONS without Allow', without(options, 'allow')],
  ['DOC-2', '', 'no body', { ...single, ...bodiless }],

  ['DOC-1', '', 'no JSON', { ...single, text: '<html>' }],
  ['DOC-1', '', 'a list as the root', { ...single, text: '[]' }],
  ['DOC-1', '', 'null as the root', { ...single, text: 'null' }],
  ['DOC-2', '', 'no data, errors or meta', changed(single, { '/data': undefined })],
  ['DOC-3 ERR-3', '/errors', 'data beside errors', changed(single, { '/errors': [] })],
  ['DOC-4', '/extra', 'an extra member at the top', changed(single, { '/extra': 1 })],
  ['DOC-5', '/included', 'included without data', changed(deleted, { '/included': [] })],
  ['DOC-6', '/links', 'data without links', changed(single, { '/links': undefined })],
  ['DOC-6', '/links/self', 'links without self', changed(single, { '/links': {} })],
  ['DOC-6', '/links/about', 'an unknown top-level link', changed(single, { '/links/about': '/a' })],
  ['DOC-6', '/links/self', 'self of another path', changed(single, { '/links/self': '/persons/2' })],
  ['service.md#documents', '/links/self', 'self without the query', changed(sparse, { '/links/self': '/persons/1' })],
  ['DOC-9', '/data', 'a text as data', changed(single, { '/data': 'x' })],
  ['DOC-9', '/data/0', 'a text among the data', changed(collection, { '/data/0': 'x' })],
  ['LKG-1', '/data/0', 'a text among the linkage', changed(linkageList, { '/data/0': 'x' })],
  ['LKG-3', '/data/0/attributes', 'resources on a relationship route', changed(linkageList, { '/data/0/attributes': {} })],
  ['RUP-8', '/data/1', 'a member twice', changed(linkageList, { '/data/-': { type: 'computer', id: '1' } })],
  ['GET-9', '/links/related', 'linkage without its related link', changed(linkageList, { '/links/related': undefined })],

  ['API-1', '/jsonapi', 'no jsonapi', changed(refused, { '/jsonapi': undefined })],
  ['API-2', '/jsonapi', 'a text as jsonapi', changed(single, { '/jsonapi': '1.0' })],
  ['API-3', '/jsonapi/version', 'another version', changed(single, { '/jsonapi/version': '1.1' })],
  ['API-4', '/jsonapi/extra', 'an extra member in jsonapi', changed(single, { '/jsonapi/extra': 1 })],
  ['MET-1', '/meta', 'a list as meta', changed(single, { '/meta': [] })],
  ['MET-2', '/meta/count', 'a collection without a count', changed(collection, { '/meta': {} })],
  ['MET-2', '/meta/count', 'a count below the page', changed(collection, { '/meta/count': 0 })],
  ['MET-2', '/meta/message', 'a deletion without a word', changed(deleted, { '/meta': {} })],
  ['NAM-2', '/meta/', 'an empty name', changed(single, { '/meta': { '': 1 } })],
  ['NAM-3', '/data/attributes/a.b', 'a dot in a name', changed(single, { '/data/attributes/a.b': 1 })],
  ['NAM-3', '/data/attributes/name/0/a~1b', 'a slash deep inside', changed(single, { '/data/attributes/name': [{ 'a/b': 1 }] })],
  ['NAM-4', '/data/attributes/_name', 'a name that starts with _', changed(single, { '/data/attributes/_name': 1 })],
  ['NAM-4', '/meta/name-', 'a name that ends with -', changed(single, { '/meta': { 'name-': 1 } })],

  ['RES-1 RES-10', '/data/id', 'no id', changed(single, { '/data/id': undefined, '/data/links': undefined })],
  ['RES-1', '/data/type', 'no type', changed(single, { '/data/type': undefined })],
  ['RES-2', '/data/id', 'a number as id', changed(single, { '/data/id': 1 })],
  ['RES-2', '/data/id', 'an empty id', changed(single, { '/data/id': '' })],
  ['RES-3', '/data/meta', 'an extra member in a resource', changed(single, { '/data/meta': {} })],
  ['RES-5', '/data/type', 'a type that is no member name', changed(single, { '/data/type': 'per/son' })],
  ['RES-6', '/data/attributes/id', 'an attribute id', changed(single, { '/data/attributes/id': '1' })],
  ['RES-6', '/data/attributes/computers', 'an attribute named as a relationship', changed(single, { '/data/attributes/computers': 1 })],
  ['RES-6', '/data/relationships/type', 'a relationship type', changed(single, { '/data/relationships/type': { links: { self: '/persons/1/relationships/type', related: '/persons/1/type' } } })],
  ['RES-7', '/data/attributes', 'a list as attributes', changed(single, { '/data/attributes': [] })],
  ['RES-8', '/data/attributes/name/links', 'links in an attribute', changed(single, { '/data/attributes/name': { links: {} } })],
  ['RES-8', '/data/attributes/name/0/relationships', 'relationships in a list', changed(single, { '/data/attributes/name': [{ relationships: {} }] })],
  ['RES-10', '/data/links', 'a resource without links', changed(single, { '/data/links': undefined })],
  ['RES-10', '/data/links/related', 'an extra link of a resource', changed(single, { '/data/links/related': '/x' })],
  ['REL-2 RES-10', '/data/links/self', 'self of another resource', changed(single, { '/data/links/self': '/persons/2' })],

  ['REL-1', '/data/relationships', 'a list as relationships', changed(single, { '/data/relationships': [] })],
  ['REL-2', p, 'a text as a relationship', changed(single, { [p]: 'x' })],
  ['REL-2', `${p}/links`, 'a relationship without links', changed(single, { [`${p}/links`]: undefined })],
  ['REL-2', `${p}/links/related`, 'a relationship without related', changed(single, { [`${p}/links/related`]: undefined })],
  ['REL-2', `${p}/links/related`, 'a related link that changes', changed(single, { [`${p}/links/related`]: '/computers/1' })],
  ['REL-2', `${p}/meta`, 'an extra member in a relationship', changed(single, { [`${p}/meta`]: {} })],
  ['REL-3', `${p}/links/next`, 'paging in a relationship', changed(single, { [`${p}/links/next`]: '/x' })],
  ['service.md#documents', p, 'linkage that nobody asked for', changed(single, { [`${p}/data`]: [] })],
  ['service.md#documents', p, 'no linkage where fields lists it', changed(sparse, { [`${p}/data`]: undefined })],
  ['LKG-1', `${p}/data`, 'a text as linkage', changed(sparse, { [`${p}/data`]: 'x' })],
  ['LKG-2', `${p}/data/0/id`, 'an identifier without id', changed(sparse, { [`${p}/data`]: [{ type: 'computer' }] })],
  ['LKG-2', `${p}/data/0/id`, 'an identifier with a number', changed(sparse, { [`${p}/data`]: [{ type: 'computer', id: 1 }] })],
  ['LKG-3', `${p}/data/0/extra`, 'an extra member in an identifier', changed(sparse, { [`${p}/data`]: [{ type: 'computer', id: '1', extra: 1 }] })],
  ['RUP-8', `${p}/data/1`, 'linkage that names one twice', changed(compound, { [`${p}/data/-`]: { type: 'computer', id: '1' } })],

  ['LNK-1', '/links', 'a list as links', changed(single, { '/links': [] })],
  ['LNK-1', '/data/links', 'a text as resource links', changed(single, { '/data/links': '/persons/1' })],
  ['LNK-1', `${p}/links`, 'a text as relationship links', changed(single, { [`${p}/links`]: '/x' })],
  ['LNK-2', '/links/next', 'null as a link', changed(collection, { '/links/next': null })],
  ['LNK-2', '/links/self', 'an object as a link', changed(single, { '/links/self': { href: '/persons/1' } })],
  ['LNK-3', '/links/self', 'raw brackets', changed(sparse, { '/links/self': '/persons/1?fields[person]=name,computers' })],
  ['LNK-3', '/links/self', 'a raw quote', changed({ ...single, url: 'http://host/persons/1?a="' }, { '/links/self': '/persons/1?a="' })],
  ['LNK-3', '/links/self', 'a raw brace', changed({ ...single, url: 'http://host/persons/1?a={' }, { '/links/self': '/persons/1?a={' })],
  ['LNK-3', '/links/self', 'a broken escape', changed({ ...single, url: 'http://host/persons/1?a=%25zz' }, { '/links/self': '/persons/1?a=%zz' })],
  ['service.md#documents', '/links/self', 'an absolute link of one resource', changed(single, { '/links/self': 'http://host/persons/1' })],
  ['service.md#documents', '/links/next', 'a path in a collection', changed(collection, { '/links/next': '/persons?page%5Bsize%5D=1&page%5Bnumber%5D=3' })],
  ['REL-2 service.md#documents', '/data/links/self', 'an absolute link in a resource', changed(single, { '/data/links/self': 'http://host/persons/1' })],
  ['service.md#documents', '/links/self', 'a link that is no URL', changed(deleted, { '/links': { self: 'x' } })],

  ['PAG-3', '/links/first', 'paging of one resource', changed(single, { '/links/first': '/persons/1', '/links/last': '/persons/1' })],
  ['PAG-5', '/links/last', 'next without last', changed(collection, { '/links/last': undefined })],
  ['PAG-5', '/links/first', 'next without first', changed(collection, { '/links/first': undefined })],
  ['PAG-5', '/links/next', 'paging of everything', changed({ ...collection, url: 'http://host/persons?page[size]=0' }, { '/links/self': 'http://host/persons?page%5Bsize%5D=0' })],
  ['PAG-6', '/links/next', 'a page of another sort', changed(collection, { '/links/next': 'http://host/persons?sort=name' })],
  ['PAG-6', '/links/next', 'a page of another path', changed(collection, { '/links/next': 'http://host/computers' })],

  ['INP-1', '/included', 'included without include', changed(single, { '/included': [] })],
  ['service.md#documents', '/included', 'include without included', changed(shared, { '/included': undefined })],
  ['INP-1', '/included', 'included beside null', changed(alsoGood['an empty to-one related URL'] ?? single, { '/included': [] })],
  ['INC-2', '/included', 'an object as included', changed({ ...single, url: 'http://host/persons/1?include=' }, { '/included': {}, '/links/self': '/persons/1?include=' })],
  ['INC-3 INP-4', '/included/1', 'a resource that nothing links', changed(shared, { '/included/-': person('5') })],
  ['INC-3 INP-4', '/included/1', 'a ring that hangs loose', changed(compound, { '/included/-': computer('8', { type: 'person', id: '9' }), '/included/2': person('9', [{ type: 'computer', id: '8' }]) })],
  ['INC-4', '/included/1', 'a resource twice in included', changed(shared, { '/included/-': person('1') })],
  ['INC-4', '/included/1', 'a primary resource in included', changed(compound, { '/included/-': person('1', [{ type: 'computer', id: '1' }]) })],
  ['INC-4', '/data/1', 'a primary resource twice', changed(shared, { '/data/1': computer('1', { type: 'person', id: '1' }) })],
  ['INP-4 INP-5 service.md#documents', '/included/0', 'linked, but not asked for', changed({ ...compound, url: 'http://host/persons/1?include=rings' }, { '/links/self': '/persons/1?include=rings' })],
  ['INP-5', '/included', 'an included resource is missing', changed(shared, { '/included': [] })],
  ['INP-5 service.md#documents', '/included/0/relationships/owner', 'no linkage on the way', changed(compound, { '/included/0': computer('1') })],
  ['RES-3', '/included/0/extra', 'an extra member in an included resource', changed(shared, { '/included/0/extra': 1 })],
  ['FLD-3', '/data/attributes/gender', 'an attribute that fields leaves out', changed(sparse, { '/data/attributes/gender': 'f' })],
  ['FLD-3', '/data/relationships/rings', 'a relationship that fields leaves out', changed(sparse, { '/data/relationships/rings': { links: { self: '/persons/1/relationships/rings', related: '/persons/1/rings' } } })],

  ['CRE-7', '', '201 without Location', without(created, 'location')],
  ['CRE-9', '/data/links/self', 'Location elsewhere', headers(created, { location: 'http://host/persons/7' })],
  ['CRE-8', '/data', '201 without a resource', changed(created, { '/data': undefined, '/meta': { message: 'created' } })],

  ['ERR-3', '/errors', 'a refusal without errors', { ...deleted, status: 404 }],
  ['ERR-3', '/errors', 'an empty list of errors', changed(refused, { '/errors': [] })],
  ['ERR-3', '/errors', 'an object as errors', changed(refused, { '/errors': {} })],
  ['ERR-3', '/errors/2', 'a text as an error', changed(refused, { '/errors/-': 'x' })],
  ['ERR-3', '/errors', 'errors beside 200', { ...refused, method: 'GET', status: 200 }],
  ['ERR-2', '/errors', 'another status in the error', { ...refused, status: 400 }],
  ['ERR-2', '/errors', 'mixed errors under one status', changed(refused, { '/errors/0/status': '409' })],
  ['ERR-2 ERR-4', '/errors/0/status', 'a number as status', changed(refused, { '/errors/0/status': 422 })],
  ['ERR-2 ERR-4', '/errors/0/status', 'a status of success', changed(refused, { '/errors/0/status': '200' })],
  ['ERR-4', '/errors/0/code', 'no code', changed(refused, { '/errors/0/code': undefined })],
  ['ERR-4', '/errors/0/detail', 'an empty detail', changed(refused, { '/errors/0/detail': '' })],
  ['ERR-4', '/errors/0/meta', 'an extra member in an error', changed(refused, { '/errors/0/meta': {} })],
  ['ERR-5', '/errors/0/title', 'a title that varies', changed(refused, { '/errors/0/title': 'Another' })],
  ['ERR-6', '/errors/0/source', 'a text as source', changed(refused, { '/errors/0/source': 'x' })],
  ['ERR-6', '/errors/0/source', 'a source that says nothing', changed(refused, { '/errors/0/source': {} })],
  ['ERR-6', '/errors/0/source/header', 'a source of 1.1', changed(refused, { '/errors/0/source': { header: 'Accept' } })],
  ['ERR-6', '/errors/0/source', 'a source of both kinds', changed(refused, { '/errors/0/source/parameter': 'id' })],
  ['ERR-6', '/errors/0/source/pointer', 'a pointer without a slash', changed(refused, { '/errors/0/source/pointer': 'data' })],
  ['ERR-6', '/errors/0/source/pointer', 'a pointer with a loose tilde', changed(refused, { '/errors/0/source/pointer': '/data/~2' })],
  ['ERR-6', '/errors/0/source/parameter', 'a list as parameter', changed(refused, { '/errors/0/source': { parameter: [] } })],
  ['service.md#errors', '/errors/0/id', 'a fault of our own without id', changed(ours, { '/errors/0/id': undefined })],
  ['service.md#errors', '/errors/0/detail', 'the name of the database', changed(refused, { '/errors/0/detail': 'SQLITE_BUSY' })],
  ['service.md#errors', '/errors/0/detail', 'a statement', changed(refused, { '/errors/0/detail': 'in "select * from person"' })],
  ['service.md#errors', '/errors/0/detail', 'a stack', changed(refused, { '/errors/0/detail': 'x at file:///app/src/a.ts:1:2' })],
  ['service.md#errors', '/errors/0/detail', 'a folder', changed(refused, { '/errors/0/detail': 'x in node_modules/fastify' })],
]

describe('the document checker', () => {
  for (const [sentence, exchange] of Object.entries(good)) {
    it(`accepts ${sentence}`, () => doesNotThrow(() => check(exchange)))
  }
  for (const [rules, at, sentence, exchange] of bad) {
    it(`refuses ${sentence} (${rules})`, () => {
      const found = breaches(exchange)
      deepEqual([...new Set(found.map(({ rule }) => rule))].sort().join(' '), rules)
      ok(
        found.some((breach) => breach.at === at),
        `not at ${found.map((breach) => breach.at)}`,
      )
    })
  }
  it('names the rule, the place and the document', () => {
    const [rules, at, , exchange] = bad.at(-1) ?? ['', '', '', single]
    throws(
      () => check(exchange),
      (error) => {
        ok(error instanceof AssertionError)
        for (const part of [`[${rules}] at "${at}"`, exchange.url, exchange.text]) {
          ok(error.message.includes(part), part)
        }
        return true
      },
    )
  })
  it('asks the official schema as well', () => {
    const foreign = changed(single, { '/data/attributes/größe': 1 })
    deepEqual(breaches(foreign), [])
    throws(() => check(foreign), /\[DOC-7\] at "\/data\/attributes"/)
  })
})

describe('the official schema, taking paths as links too', () => {
  const folder = new URL('../schemas/tests/response/', import.meta.url)
  const fixtures = globSync('**/*.json', { cwd: folder }).sort()
  it('has all its fixtures', () => equal(fixtures.length, 78))
  for (const fixture of fixtures) {
    const isValid = fixture.startsWith('valid')
    it(`${isValid ? 'accepts' : 'refuses'} ${fixture}`, () => {
      const found = checkSchema(JSON.parse(readFileSync(new URL(fixture, folder), 'utf8')))
      equal(found.length === 0, isValid, JSON.stringify(found))
    })
  }
})

import { AssertionError, deepEqual, doesNotThrow, equal, ok, throws } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Exchange } from '../client.ts'
import { assertConforms, findViolations } from './check-exchange.ts'
import { checkSchema } from './check-schema.ts'
import {
  collection,
  compound,
  computer,
  created,
  deleted,
  furtherSamples,
  headOnly,
  internalError,
  linkageList,
  options,
  person,
  rejected,
  shared,
  single,
  sparse,
  unknownMethod,
  withChanges,
} from './sample-exchanges.ts'

const emptyBody = { text: '' }
const headers = (exchange: Exchange, change: Record<string, string>): Exchange => {
  return { ...exchange, headers: { ...exchange.headers, ...change } }
}
const without = (exchange: Exchange, name: string): Exchange => {
  const { [name]: _, ...rest } = exchange.headers
  return { ...exchange, headers: rest }
}

const conforming: Record<string, Exchange> = {
  'one resource': single,
  'a page': collection,
  'an include path of two relationships': compound,
  'a shared included resource': shared,
  'the linkage of a relationship': linkageList,
  'a sparse fieldset': sparse,
  'a created resource': created,
  'a deletion': deleted,
  'two errors': rejected,
  'a rejected method': unknownMethod,
  'an internal error': internalError,
  HEAD: headOnly,
  OPTIONS: options,
  ...furtherSamples,
}

const modern = { '/jsonapi': { version: '1.1' } }
const profile = 'https://example.org/profiles/x'
const profiled = headers(
  withChanges(single, {
    '/jsonapi': { version: '1.1', profile: [profile] },
    '/links': { self: { href: '/persons/1' }, describedby: '/persons.schema.json' },
  }),
  { 'content-type': `application/vnd.api+json;profile="${profile}"` },
)
const typed = withChanges(rejected, {
  ...modern,
  '/errors/0/links': { type: 'https://example.org/errors#wrong_kind' },
  '/errors/1/source': { header: 'Accept' },
})
/** Documents with members that only JSON:API 1.1 has, which the official schema of 1.0 rejects. */
const conformingModern: Record<string, Exchange> = {
  'a document with a profile and a description': profiled,
  'an error with a type and a header field': typed,
}

/** An exchange that violates exactly these rules, at this JSON pointer. */
type ViolatingExchange = readonly [
  rules: string,
  pointer: string,
  title: string,
  exchange: Exchange,
]

const p = '/data/relationships/computers'

// biome-ignore format: a table, one row per violation
const violating: readonly ViolatingExchange[] = [
  ['NEG-1', '', 'a charset parameter in the media type', headers(single, { 'content-type': 'application/vnd.api+json; charset=utf-8' })],
  ['NEG-1', '', 'the media type application/json', headers(rejected, { 'content-type': 'application/json' })],
  ['NEG-1', '', 'HEAD without a media type', without(headOnly, 'content-type')],
  ['service.md#content-negotiation', '', 'no Vary', without(single, 'vary')],
  ['service.md#content-negotiation', '', 'Vary without Accept', headers(single, { vary: 'Origin' })],
  ['limits.md', '', 'no X-Content-Type-Options', without(single, 'x-content-type-options')],
  ['GEN-2', '', 'a body after HEAD', { ...single, method: 'HEAD' }],
  ['GEN-2', '', 'a body with status 204', { ...deleted, status: 204 }],
  ['GEN-2', '', '405 without Allow', without(unknownMethod, 'allow')],
  ['GEN-2', '', 'an Allow header with the rejected method', headers(unknownMethod, { allow: 'GET, PUT' })],
  ['GEN-2', '', 'OPTIONS without Allow', without(options, 'allow')],
  ['DOC-2', '', 'no body', { ...single, ...emptyBody }],

  ['DOC-1', '', 'a body that is not JSON', { ...single, text: '<html>' }],
  ['DOC-1', '', 'a list as the root', { ...single, text: '[]' }],
  ['DOC-1', '', 'null as the root', { ...single, text: 'null' }],
  ['DOC-2', '', 'no data, errors or meta', withChanges(single, { '/data': undefined })],
  ['DOC-3 ERR-3', '/errors', 'data together with errors', withChanges(single, { '/errors': [] })],
  ['DOC-4', '/extra', 'an extra member at the top', withChanges(single, { '/extra': 1 })],
  ['DOC-5', '/included', 'included without data', withChanges(deleted, { '/included': [] })],
  ['DOC-6', '/links', 'data without links', withChanges(single, { '/links': undefined })],
  ['DOC-6', '/links/self', 'links without self', withChanges(single, { '/links': {} })],
  ['DOC-6', '/links/about', 'an unknown top-level link', withChanges(single, { '/links/about': '/a' })],
  ['DOC-6', '/links/self', 'self with another path', withChanges(single, { '/links/self': '/persons/2' })],
  ['service.md#documents', '/links/self', 'self without the query', withChanges(sparse, { '/links/self': '/persons/1' })],
  ['DOC-9', '/data', 'a text as data', withChanges(single, { '/data': 'x' })],
  ['DOC-9', '/data/0', 'a text among the data', withChanges(collection, { '/data/0': 'x' })],
  ['LKG-1', '/data/0', 'a text among the linkage', withChanges(linkageList, { '/data/0': 'x' })],
  ['LKG-3', '/data/0/attributes', 'resource objects in a relationship document', withChanges(linkageList, { '/data/0/attributes': {} })],
  ['RUP-8', '/data/1', 'the same identifier twice', withChanges(linkageList, { '/data/-': { type: 'computer', id: '1' } })],
  ['GET-9', '/links/related', 'a relationship document without a related link', withChanges(linkageList, { '/links/related': undefined })],

  ['API-1', '/jsonapi', 'no jsonapi', withChanges(rejected, { '/jsonapi': undefined })],
  ['API-2', '/jsonapi', 'a text as jsonapi', withChanges(single, { '/jsonapi': '1.0' })],
  ['API-3', '/jsonapi/version', 'another version', withChanges(single, { '/jsonapi/version': '2.0' })],
  ['API-4', '/jsonapi/extra', 'an extra member in jsonapi', withChanges(single, { '/jsonapi/extra': 1 })],
  ['MET-1', '/meta', 'a list as meta', withChanges(single, { '/meta': [] })],
  ['MET-2', '/meta/count', 'a collection without a count', withChanges(collection, { '/meta': {} })],
  ['MET-2', '/meta/count', 'a count below the page', withChanges(collection, { '/meta/count': 0 })],
  ['MET-2', '/meta/message', 'a deletion without a message', withChanges(deleted, { '/meta': {} })],
  ['NAM-2', '/meta/', 'an empty name', withChanges(single, { '/meta': { '': 1 } })],
  ['NAM-3', '/data/attributes/a.b', 'a dot in a name', withChanges(single, { '/data/attributes/a.b': 1 })],
  ['NAM-3', '/data/attributes/name/0/a~1b', 'a slash deep inside', withChanges(single, { '/data/attributes/name': [{ 'a/b': 1 }] })],
  ['NAM-4', '/data/attributes/_name', 'a name that starts with _', withChanges(single, { '/data/attributes/_name': 1 })],
  ['NAM-4', '/meta/name-', 'a name that ends with -', withChanges(single, { '/meta': { 'name-': 1 } })],

  ['RES-1 RES-10', '/data/id', 'no id', withChanges(single, { '/data/id': undefined, '/data/links': undefined })],
  ['RES-1', '/data/type', 'no type', withChanges(single, { '/data/type': undefined })],
  ['RES-2', '/data/id', 'a number as id', withChanges(single, { '/data/id': 1 })],
  ['RES-2', '/data/id', 'an empty id', withChanges(single, { '/data/id': '' })],
  ['RES-3', '/data/extra', 'an extra member in a resource', withChanges(single, { '/data/extra': {} })],
  ['RES-5', '/data/type', 'a type that is not a member name', withChanges(single, { '/data/type': 'per/son' })],
  ['RES-6', '/data/attributes/id', 'an attribute id', withChanges(single, { '/data/attributes/id': '1' })],
  ['RES-6', '/data/attributes/computers', 'an attribute with the name of a relationship', withChanges(single, { '/data/attributes/computers': 1 })],
  ['RES-6', '/data/relationships/type', 'a relationship type', withChanges(single, { '/data/relationships/type': { links: { self: '/persons/1/relationships/type', related: '/persons/1/type' } } })],
  ['RES-7', '/data/attributes', 'a list as attributes', withChanges(single, { '/data/attributes': [] })],
  ['RES-8', '/data/attributes/name/links', 'links in an attribute', withChanges(single, { '/data/attributes/name': { links: {} } })],
  ['RES-8', '/data/attributes/name/0/relationships', 'relationships in a list', withChanges(single, { '/data/attributes/name': [{ relationships: {} }] })],
  ['RES-10', '/data/links', 'a resource without links', withChanges(single, { '/data/links': undefined })],
  ['RES-10', '/data/links/related', 'an extra link of a resource', withChanges(single, { '/data/links/related': '/x' })],
  ['REL-2 RES-10', '/data/links/self', 'self of another resource', withChanges(single, { '/data/links/self': '/persons/2' })],

  ['REL-1', '/data/relationships', 'a list as relationships', withChanges(single, { '/data/relationships': [] })],
  ['REL-2', p, 'a text as a relationship', withChanges(single, { [p]: 'x' })],
  ['REL-2', `${p}/links`, 'a relationship without links', withChanges(single, { [`${p}/links`]: undefined })],
  ['REL-2', `${p}/links/related`, 'a relationship without related', withChanges(single, { [`${p}/links/related`]: undefined })],
  ['REL-2', `${p}/links/related`, 'a related link that changes', withChanges(single, { [`${p}/links/related`]: '/computers/1' })],
  ['REL-2', `${p}/meta`, 'a number of related resources that is none', withChanges(single, { [`${p}/meta`]: { count: -1 } })],
  ['REL-2 service.md#documents', `${p}/meta`, 'a number that differs from the linkage', withChanges(single, { [`${p}/data`]: [], [`${p}/meta`]: { count: 1 } })],
  ['REL-2', `${p}/meta`, 'an extra member in a relationship', withChanges(single, { [`${p}/meta`]: {} })],
  ['REL-3', `${p}/links/next`, 'a pagination link in a relationship', withChanges(single, { [`${p}/links/next`]: '/x' })],
  ['service.md#documents', p, 'linkage that is not requested', withChanges(single, { [`${p}/data`]: [] })],
  ['service.md#documents', p, 'no linkage of a relationship that fields lists', withChanges(sparse, { [`${p}/data`]: undefined })],
  ['LKG-1', `${p}/data`, 'a text as linkage', withChanges(sparse, { [`${p}/data`]: 'x' })],
  ['LKG-2', `${p}/data/0/id`, 'an identifier without id', withChanges(sparse, { [`${p}/data`]: [{ type: 'computer' }] })],
  ['LKG-2', `${p}/data/0/id`, 'an identifier with a number', withChanges(sparse, { [`${p}/data`]: [{ type: 'computer', id: 1 }] })],
  ['LKG-3', `${p}/data/0/extra`, 'an extra member in an identifier', withChanges(sparse, { [`${p}/data`]: [{ type: 'computer', id: '1', extra: 1 }] })],
  ['RUP-8', `${p}/data/1`, 'linkage with the same identifier twice', withChanges(compound, { [`${p}/data/-`]: { type: 'computer', id: '1' } })],

  ['LNK-1', '/links', 'a list as links', withChanges(single, { '/links': [] })],
  ['LNK-1', '/data/links', 'a text as resource links', withChanges(single, { '/data/links': '/persons/1' })],
  ['LNK-1', `${p}/links`, 'a text as relationship links', withChanges(single, { [`${p}/links`]: '/x' })],
  ['LNK-2', '/links/self', 'null as a link', withChanges(collection, { '/links/self': null })],
  ['LNK-2', '/links/self', 'an object as a link', withChanges(single, { '/links/self': { href: '/persons/1' } })],
  ['LNK-3', '/links/self', 'raw brackets', withChanges(sparse, { '/links/self': '/persons/1?fields[person]=name,computers' })],
  ['LNK-3', '/links/self', 'a raw quote', withChanges({ ...single, url: 'http://host/persons/1?a="' }, { '/links/self': '/persons/1?a="' })],
  ['LNK-3', '/links/self', 'a raw brace', withChanges({ ...single, url: 'http://host/persons/1?a={' }, { '/links/self': '/persons/1?a={' })],
  ['LNK-3', '/links/self', 'a broken escape', withChanges({ ...single, url: 'http://host/persons/1?a=%25zz' }, { '/links/self': '/persons/1?a=%zz' })],
  ['service.md#documents', '/links/self', 'an absolute self link of a single resource', withChanges(single, { '/links/self': 'http://host/persons/1' })],
  ['service.md#documents', '/links/next', 'a pagination link that is a path', withChanges(collection, { '/links/next': '/persons?page%5Bsize%5D=1&page%5Bnumber%5D=3' })],
  ['REL-2 service.md#documents', '/data/links/self', 'an absolute link in a resource', withChanges(single, { '/data/links/self': 'http://host/persons/1' })],
  ['service.md#documents', '/links/self', 'a link that is not a URL', withChanges(deleted, { '/links': { self: 'x' } })],

  ['PAG-3', '/links/first', 'pagination links of a single resource', withChanges(single, { '/links/first': '/persons/1', '/links/last': '/persons/1' })],
  ['PAG-5', '/links/last', 'next without last', withChanges(collection, { '/links/last': undefined })],
  ['PAG-5', '/links/first', 'next without first', withChanges(collection, { '/links/first': undefined })],
  ['PAG-5', '/links/next', 'a pagination link with page[size]=0', withChanges({ ...collection, url: 'http://host/persons?page[size]=0' }, { '/links/self': 'http://host/persons?page%5Bsize%5D=0' })],
  ['PAG-6', '/links/next', 'a pagination link with another sort', withChanges(collection, { '/links/next': 'http://host/persons?sort=name' })],
  ['PAG-6', '/links/next', 'a pagination link with another path', withChanges(collection, { '/links/next': 'http://host/computers' })],

  ['INP-1', '/included', 'included without include', withChanges(single, { '/included': [] })],
  ['service.md#documents', '/included', 'include without included', withChanges(shared, { '/included': undefined })],
  ['INP-1', '/included', 'included together with null data', withChanges(furtherSamples['an empty to-one related URL'] ?? single, { '/included': [] })],
  ['INC-2', '/included', 'an object as included', withChanges({ ...single, url: 'http://host/persons/1?include=' }, { '/included': {}, '/links/self': '/persons/1?include=' })],
  ['INC-3 INP-4', '/included/1', 'an included resource without linkage', withChanges(shared, { '/included/-': person('5') })],
  ['INC-3 INP-4', '/included/1', 'two included resources that only link each other', withChanges(compound, { '/included/-': computer('8', { type: 'person', id: '9' }), '/included/2': person('9', [{ type: 'computer', id: '8' }]) })],
  ['INC-4', '/included/1', 'a resource twice in included', withChanges(shared, { '/included/-': person('1') })],
  ['INC-4', '/included/1', 'a primary resource in included', withChanges(compound, { '/included/-': person('1', [{ type: 'computer', id: '1' }]) })],
  ['INC-4', '/data/1', 'a primary resource twice', withChanges(shared, { '/data/1': computer('1', { type: 'person', id: '1' }) })],
  ['INP-4 INP-5 service.md#documents', '/included/0', 'an included resource that is linked but not requested', withChanges({ ...compound, url: 'http://host/persons/1?include=rings' }, { '/links/self': '/persons/1?include=rings' })],
  ['INP-5', '/included', 'a missing included resource', withChanges(shared, { '/included': [] })],
  ['INP-5 service.md#documents', '/included/0/relationships/owner', 'no linkage on the include path', withChanges(compound, { '/included/0': computer('1') })],
  ['RES-3', '/included/0/extra', 'an extra member in an included resource', withChanges(shared, { '/included/0/extra': 1 })],
  ['FLD-3', '/data/attributes/gender', 'an attribute that fields does not list', withChanges(sparse, { '/data/attributes/gender': 'f' })],
  ['FLD-3', '/data/relationships/rings', 'a relationship that fields does not list', withChanges(sparse, { '/data/relationships/rings': { links: { self: '/persons/1/relationships/rings', related: '/persons/1/rings' } } })],

  ['CRE-7', '', '201 without Location', without(created, 'location')],
  ['CRE-9', '/data/links/self', 'Location of another resource', headers(created, { location: 'http://host/persons/7' })],
  ['CRE-8', '/data', '201 without a resource', withChanges(created, { '/data': undefined, '/meta': { message: 'created' } })],

  ['ERR-3', '/errors', 'an error status without errors', { ...deleted, status: 404 }],
  ['ERR-3', '/errors', 'an empty list of errors', withChanges(rejected, { '/errors': [] })],
  ['ERR-3', '/errors', 'an object as errors', withChanges(rejected, { '/errors': {} })],
  ['ERR-3', '/errors/2', 'a text as an error', withChanges(rejected, { '/errors/-': 'x' })],
  ['ERR-3', '/errors', 'errors with status 200', { ...rejected, method: 'GET', status: 200 }],
  ['ERR-2', '/errors', 'an error with another status than the response', { ...rejected, status: 400 }],
  ['ERR-2', '/errors', 'errors with different statuses, and a status other than 400', withChanges(rejected, { '/errors/0/status': '409' })],
  ['ERR-2 ERR-4', '/errors/0/status', 'a number as status', withChanges(rejected, { '/errors/0/status': 422 })],
  ['ERR-2 ERR-4', '/errors/0/status', 'an error with a success status', withChanges(rejected, { '/errors/0/status': '200' })],
  ['ERR-4', '/errors/0/code', 'no code', withChanges(rejected, { '/errors/0/code': undefined })],
  ['ERR-4', '/errors/0/detail', 'an empty detail', withChanges(rejected, { '/errors/0/detail': '' })],
  ['ERR-4', '/errors/0/extra', 'an extra member in an error', withChanges(rejected, { '/errors/0/extra': {} })],
  ['ERR-5', '/errors/0/title', 'a title that differs from an earlier one', withChanges(rejected, { '/errors/0/title': 'Another' })],
  ['ERR-6', '/errors/0/source', 'a text as source', withChanges(rejected, { '/errors/0/source': 'x' })],
  ['ERR-6', '/errors/0/source', 'an empty source', withChanges(rejected, { '/errors/0/source': {} })],
  ['ERR-6', '/errors/0/source/header', 'a source member of JSON:API 1.1', withChanges(rejected, { '/errors/0/source': { header: 'Accept' } })],
  ['ERR-4 ERR-6', '/errors/0/links', 'the type of an error in JSON:API 1.0', withChanges(typed, { '/jsonapi': { version: '1.0' } })],
  ['ERR-4', '/errors/0/links/type', 'a type of an error that is no URI', withChanges(typed, { '/errors/0/links/type': 'wrong_kind' })],
  ['ERR-4', '/errors/0/links/other', 'an unknown link of an error', withChanges(typed, { '/errors/0/links/other': 'https://example.org' })],
  ['ERR-6', '/errors/1/source/header', 'a header field that is no text', withChanges(typed, { '/errors/1/source/header': 5 })],
  ['API-4 DOC-6 LNK-2', '/links/describedby', 'members of JSON:API 1.1 in 1.0', withChanges(profiled, { '/jsonapi/version': '1.0' })],
  ['API-4', '/jsonapi/profile', 'a profile that is no list', withChanges({ ...single, url: 'http://host/persons/1' }, { '/jsonapi': { version: '1.1', profile } })],
  ['NEG-1', '', 'a profile that the media type does not have', headers(profiled, { 'content-type': 'application/vnd.api+json' })],
  ['service.md#documents', '/links/describedby', 'a description that is no link', withChanges(profiled, { '/links/describedby': 'persons' })],
  ['ERR-6', '/errors/0/source', 'a source with a pointer and a parameter', withChanges(rejected, { '/errors/0/source/parameter': 'id' })],
  ['ERR-6', '/errors/0/source/pointer', 'a pointer without a slash', withChanges(rejected, { '/errors/0/source/pointer': 'data' })],
  ['ERR-6', '/errors/0/source/pointer', 'a pointer with an invalid escape', withChanges(rejected, { '/errors/0/source/pointer': '/data/~2' })],
  ['ERR-6', '/errors/0/source/parameter', 'a list as parameter', withChanges(rejected, { '/errors/0/source': { parameter: [] } })],
  ['service.md#errors', '/errors/0/id', 'an internal error without id', withChanges(internalError, { '/errors/0/id': undefined })],
  ['service.md#errors', '/errors/0/detail', 'a detail with the name of the database', withChanges(rejected, { '/errors/0/detail': 'SQLITE_BUSY' })],
  ['service.md#errors', '/errors/0/detail', 'a detail with an SQL statement', withChanges(rejected, { '/errors/0/detail': 'in "select * from person"' })],
  ['service.md#errors', '/errors/0/detail', 'a detail with a stack trace', withChanges(rejected, { '/errors/0/detail': 'x at file:///app/src/a.ts:1:2' })],
  ['service.md#errors', '/errors/0/detail', 'a detail with a file path', withChanges(rejected, { '/errors/0/detail': 'x in node_modules/fastify' })],
]

describe('The document checker', () => {
  for (const [title, exchange] of Object.entries(conforming)) {
    it(`accepts ${title}`, () => doesNotThrow(() => assertConforms(exchange)))
  }
  for (const [title, exchange] of Object.entries(conformingModern)) {
    it(`accepts ${title}`, () => deepEqual(findViolations(exchange), []))
  }
  for (const [rules, pointer, title, exchange] of violating) {
    it(`rejects ${title} (${rules})`, () => {
      const found = findViolations(exchange)
      deepEqual([...new Set(found.map(({ rule }) => rule))].sort().join(' '), rules)
      ok(
        found.some((violation) => violation.pointer === pointer),
        `not at ${found.map((violation) => violation.pointer)}`,
      )
    })
  }
  it('reports the rule, the JSON pointer and the exchange', () => {
    const [rules, pointer, , exchange] = violating.at(-1) ?? ['', '', '', single]
    throws(
      () => assertConforms(exchange),
      (error) => {
        ok(error instanceof AssertionError)
        for (const part of [`[${rules}] at "${pointer}"`, exchange.url, exchange.text]) {
          ok(error.message.includes(part), part)
        }
        return true
      },
    )
  })
  it('also validates with the official schema', () => {
    const invalidName = withChanges(single, { '/data/attributes/full name': 1 })
    deepEqual(findViolations(invalidName), [])
    throws(() => assertConforms(invalidName), /\[DOC-7\] at "\/data\/attributes"/)
  })
})

describe('The official schema, which also accepts paths as links', () => {
  const folder = new URL('../schemas/tests/response/', import.meta.url)
  const fixtures = globSync('**/*.json', { cwd: folder }).sort()
  it('has 78 fixtures', () => equal(fixtures.length, 78))
  for (const fixture of fixtures) {
    const isValid = fixture.startsWith('valid')
    it(`${isValid ? 'accepts' : 'rejects'} ${fixture}`, () => {
      const found = checkSchema(JSON.parse(readFileSync(new URL(fixture, folder), 'utf8')))
      equal(found.length === 0, isValid, JSON.stringify(found))
    })
  }
})

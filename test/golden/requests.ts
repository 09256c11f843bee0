import { type Call, mediaType } from '../client.ts'
import { cursorPaths } from './cursor-requests.ts'

/** A request of the golden files. */
export interface GoldenRequest {
  readonly method: string
  /** Path and query, without the prefix. */
  readonly path: string
  readonly call: Call
}

const get = (path: string, headers?: Call['headers']): GoldenRequest => ({
  method: 'GET',
  path,
  call: { headers },
})
const filter = (path: string, clauses: unknown, more = '') =>
  get(`${path}?filter=${encodeURIComponent(JSON.stringify(clauses))}${more}`)
const send = (method: string, path: string, data?: unknown, user?: string): GoldenRequest => ({
  method,
  path,
  call: {
    ...(user !== undefined && { headers: { 'x-user': user } }),
    ...(data !== undefined && { body: { data } }),
  },
})
const post = (path: string, data?: unknown, user?: string) => send('POST', path, data, user)
const patch = (path: string, data?: unknown, user?: string) => send('PATCH', path, data, user)
const remove = (path: string, data?: unknown, user?: string) => send('DELETE', path, data, user)
const raw = (
  method: string,
  path: string,
  text: string,
  headers: Call['headers'] = {},
): GoldenRequest => ({ method, path, call: { raw: text, headers } })
const bare = (method: string, path: string, headers: Call['headers'] = {}): GoldenRequest => ({
  method,
  path,
  call: { headers: { 'Content-Type': undefined, ...headers } },
})
const act = (path: string, meta?: object, user?: string): GoldenRequest => ({
  method: 'POST',
  path,
  call: { ...(user && { headers: { 'x-user': user } }), ...(meta && { body: { meta } }) },
})
const as = (user: string, path: string) => get(path, { 'x-user': user })
const page = (path: string, headers: Call['headers'] = {}) =>
  get(path, { Accept: 'text/html', ...headers })

const oldTag = { type: 'tag', id: '00000000-0000-4000-8000-000000000001' }
const newTag = { type: 'tag', id: '00000000-0000-4000-8000-000000000002' }
const bookOf = (attributes: object, relationships?: object) => ({
  type: 'book',
  attributes,
  ...(relationships && { relationships }),
})

/** Reads, before anything is written. */
const reads = [
  get(''),
  get('/'),
  get('/authors'),
  get('/authors'),
  get('/books?include=author,tags&sort=-title'),
  get(
    '/books?include=author.teacher,chapters&fields[book]=title,author,chapters&fields[author]=name,teacher',
  ),
  get('/books?page[size]=0'),
  get(
    '/authors?include=books.tags&includePage[books][size]=1&includeSort[books]=-title&includePage[books.tags][size]=1',
  ),
  get(
    '/books?include=tags&includeSort[tags]=-name&includeFilter[tags]=[{"name":"name","op":"ne","val":"old"}]',
  ),
  get('/authors?include=books&includePage[books][size]=0&includeSort[tags]=name'),
  get('/books?page[size]=0&include=author,tags,chapters'),
  get('/books?page[size]=0&sort=-price&include=author.books'),
  get('/books?page[number]=2&page[size]=2&sort=title,-id'),
  get('/books?page[number]=9'),
  get('/books?sort=author.name,-pages'),
  get('/books?fields[book]='),
  get('/authors?fields[author]=label,initial'),
  get('/authors?fields[author]=teacher,pupils,books'),
  get('/authors?withCount=books&sort=-books.count'),
  get('/authors?filter[books__title]=B&include=books'),
  get('/books?filter[author__id]=2'),
  get('/books?filter[author__id]=1'),
  filter('/books', [{ name: 'title', op: 'in_', val: ['A', 'B', null] }]),
  filter('/books', [{ name: 'title', op: 'ilike', val: '%a%' }]),
  filter('/books', [
    { or: [{ name: 'pages', op: 'ge', val: 20 }, { not: { name: 'lent', op: 'eq', val: false } }] },
  ]),
  filter('/authors', [{ name: 'books', op: 'any', val: { name: 'words', op: 'gt', val: 5 } }]),
  filter('/authors', [{ name: 'books', op: 'count_ge', val: 2 }]),
  filter('/authors', [
    { name: 'teacher', op: 'has', val: { name: 'name', op: 'startswith', val: 'A' } },
  ]),
  filter('/books', [{ name: 'tags__name', op: 'eq', val: 'old' }], '&include=tags'),
  filter('/books', [
    { name: 'price', op: 'between', val: [1, 3] },
    { name: 'genre', op: 'ne', val: null },
  ]),
  get('/authors?filter[prolific]=2'),
  get('/authors/2'),
  get('/authors/2?include=books.tags,teacher'),
  get('/books/1'),
  get('/books/%31'),
  get('/books/2/author?include=books'),
  get('/books/4/author'),
  get('/authors/2/books?page[size]=1'),
  get('/authors/3/books'),
  get('/books/2/tags'),
  get('/authors/2/relationships/books?include=books'),
  get('/books/1/relationships/author'),
  get('/books/4/relationships/author'),
  get('/books/2/relationships/tags?page[size]=1'),
  get('/chapters?include=book'),
  get('/chapters/1,2'),
  get('/tags/00000000-0000-4000-8000-000000000001?include=books'),
  get('/totals?include=author'),
  get('/drafts'),
  get('/drafts/2'),
  get('/years?filter[first]=1984'),
]

/** Lists that are streams. */
const streams = [
  get('/marks?page[size]=0'),
  as('1:admin', '/marks?page[size]=0'),
  get('/marks?page[size]=0&sort=-label&fields[mark]=label,book'),
  get('/marks?page[size]=0&include=book.author&fields[book]=author,tags'),
  get('/books/1/marks?page[size]=0&filter[label]=m10'),
  get('/marks?page[size]=501&include=book.marks'),
  bare('HEAD', '/marks?page[size]=0'),
]

/** Reads under access rules, by identity. */
const ruledReads = [
  get('/teams'),
  as('2:member', '/teams?include=members,notes'),
  as('2:member', '/teams?include=members,notes'),
  as('1:member', '/teams?include=members,notes'),
  as('1:member', '/teams/2'),
  as('1:admin', '/notes?page[size]=0'),
  as('1:member', '/notes?page[size]=0'),
  as('2:member', '/notes?sort=-text&filter[done]=false&include=team.members,owner'),
  as('2:member', '/notes/1'),
  as('1:member', '/notes/3'),
  as('1:member', '/notes?filter[secret]=s1'),
  as('1:admin', '/notes?filter[secret]=s1'),
  as('1:member', '/teams/1/notes'),
  as('1:member', '/teams/2/notes'),
  as('2:member', '/teams/2/relationships/notes'),
]

/** Requests that are rejected for their form. */
const rejected = [
  get('/nowhere?x=1'),
  get('/authors/'),
  get('/authors/a%2Fb'),
  get('/authors/%FF'),
  get('/authors/99'),
  get('/authors/x'),
  get('/chapters/1'),
  get('/authors/99/books'),
  get('/authors/1/nothing'),
  get('/authors/1/relationships/nothing'),
  get('/authors?colour=red'),
  get('/authors?sort=name&sort=-name'),
  get('/authors?sort=colour,password'),
  get('/authors?filter[name]=%FF'),
  get('/authors?filter=%7B'),
  filter('/authors', [
    { name: 'colour', op: 'eq', val: 1 },
    { name: 'name', op: 'above', val: 1 },
  ]),
  filter('/books', [{ name: 'pages', op: 'gt', val: 'many' }]),
  get('/authors?page[size]=-1&page[number]=0'),
  get('/authors?include=books.colour,name'),
  get('/authors?fields[author]=colour&fields[colour]=name'),
  get('/authors?withCount=pupils'),
  get('/authors?filter[prolific]=many'),
  get('/years'),
  get('/years?filter[first]=x'),
  get('/authors', { Accept: `${mediaType};a=b` }),
  get('/authors', { Accept: 'text/csv' }),
  get('/authors', { Accept: 'application/json' }),
  get('/authors', { Accept: '*/*' }),
  raw('POST', '/authors', 'x', { 'Content-Type': 'text/plain' }),
  raw('POST', '/authors', '{}', { 'Content-Type': 'application/json' }),
  raw('POST', '/authors', '{}', { 'Content-Type': `${mediaType};a=b` }),
  raw('POST', '/authors', '{'),
  raw('POST', '/authors', ''),
  raw('POST', '/authors', '{"data":[]}'),
  raw('POST', '/authors', JSON.stringify({ data: 'x'.repeat(3000) })),
  raw('POST', '/authors', JSON.stringify({ data: 'x'.repeat(3000) }), { Host: 'a!b' }),
  raw('POST', '/nowhere', '{}'),
  raw('POST', '/authors', '{}', { Expect: '200-ok' }),
  raw('POST', '/authors', '{}', { Origin: 'https://other.test' }),
  raw('PUT', '/authors/1', '{}'),
  raw('PATCH', '/authors', '{}'),
  bare('DELETE', '/authors'),
  bare('DELETE', '/totals/1'),
  raw('POST', '/totals', '{}'),
  bare('OPTIONS', '/authors'),
  bare('OPTIONS', '/authors/1'),
  bare('OPTIONS', '/totals/1'),
  bare('OPTIONS', '/nowhere'),
  bare('OPTIONS', '/notes/1/actions/finish'),
  bare('HEAD', '/authors'),
  bare('HEAD', '/authors/99'),
  bare('HEAD', '/books?page[size]=0'),
  bare('PROPFIND', '/authors'),
  get(`/authors?filter[name]=${'x'.repeat(33_000)}`),
]

/** Writes, each after those before it. */
const writes = [
  post('/authors', {
    type: 'author',
    attributes: { name: 'Eve', mail: 'eve@example.org', password: 'p' },
  }),
  post(
    '/books?include=author,tags',
    bookOf(
      {
        title: 'E',
        isbn: '1-5',
        pages: 1,
        words: 42,
        price: 2,
        cost: '1.10',
        lent: true,
        genre: 'prose',
        added: '2024-02-03T04:05:06Z',
        data: { a: [1, null] },
      },
      { author: { data: { type: 'author', id: '1' } }, tags: { data: [oldTag, newTag] } },
    ),
  ),
  post('/authors/2/books?fields[book]=title,author', bookOf({ title: 'F' })),
  post('/tags', {
    ...newTag,
    id: '00000000-0000-4000-8000-000000000003',
    attributes: { name: 'three' },
  }),
  post('/chapters', { type: 'chapter', id: '2,2', attributes: { title: 'Two' } }),
  post('/drafts', { type: 'draft' }),
  patch('/authors/1?include=teacher', { type: 'author', id: '1', attributes: { name: 'Ida' } }),
  patch('/authors/1', { type: 'author', id: '1', attributes: { name: 'Ida' } }),
  patch('/books/3', {
    type: 'book',
    id: '3',
    attributes: { pages: 3, data: [] },
    relationships: {
      author: { data: null },
      tags: { data: [newTag] },
    },
  }),
  patch('/chapters/1,2', { type: 'chapter', id: '1,2', attributes: { title: '2' } }),
  patch('/authors/1/relationships/teacher', { type: 'author', id: '3' }),
  patch('/authors/1/relationships/books', [
    { type: 'book', id: '1' },
    { type: 'book', id: '4' },
  ]),
  post('/books/3/relationships/tags', [oldTag, newTag]),
  patch('/books/2/relationships/tags', [newTag]),
  remove('/books/3/relationships/tags', [oldTag]),
  remove('/authors/1/relationships/pupils', [{ type: 'author', id: '2' }]),
  remove('/chapters/2,2'),
  remove('/drafts/1'),
  remove('/drafts/1'),
  get('/drafts?page[size]=0'),
  get('/books?page[size]=0&fields[book]=title,author,tags'),
]

/** Writes that are rejected. */
const rejectedWrites = [
  post('/authors', { type: 'author', attributes: { nme: 'x', mail: 'y', label: 'z' } }),
  post('/authors', { type: 'book', attributes: { name: 'x' } }),
  post('/authors', { type: 'author', id: '77', attributes: { name: 'x' } }),
  post('/tags', { type: 'tag', attributes: { name: 'old' } }),
  post('/tags', { ...oldTag, attributes: { name: 'other' } }),
  post('/chapters', { type: 'chapter', attributes: { title: 'x' } }),
  post('/chapters', { type: 'chapter', id: '99,1', attributes: { title: 'x' } }),
  post('/books', bookOf({ title: 'G', isbn: '1-1' })),
  post(
    '/books',
    bookOf(
      { title: 'G' },
      {
        author: { data: { type: 'author', id: '99' } },
        tags: { data: [{ ...oldTag, type: 'book' }] },
      },
    ),
  ),
  post('/books', bookOf({ title: 'refused' })),
  post('/books', bookOf({ title: 'broken' })),
  post(
    '/books',
    bookOf({ pages: 1.5, words: 'x', price: 'x', cost: 'x', lent: 1, added: 'x', genre: 'x' }),
  ),
  post(
    '/authors/1/books',
    bookOf({ title: 'G' }, { author: { data: { type: 'author', id: '2' } } }),
  ),
  post('/authors/99/books', bookOf({ title: 'G' })),
  patch('/authors/99', { type: 'author', id: '99', attributes: { name: 'x' } }),
  patch('/authors/1', { type: 'author', id: '2', attributes: { name: 'x' } }),
  patch('/authors/1', { type: 'author', id: '1', attributes: { name: null } }),
  patch('/books/1', { type: 'book', id: '1', attributes: { isbn: '2-2' } }),
  patch('/books/1/relationships/author', { type: 'author', id: '99' }),
  patch('/books/1/relationships/author', [{ type: 'author', id: '1' }]),
  post('/books/1/relationships/author', { type: 'author', id: '1' }),
  post('/books/99/relationships/tags', [oldTag]),
  remove('/authors/1'),
  remove('/books/99'),
]

/** Writes under access rules, and actions. */
const ruledWrites = [
  post(
    '/notes',
    {
      type: 'note',
      attributes: { text: 'n' },
      relationships: { team: { data: { type: 'team', id: '1' } } },
    },
    '1:member',
  ),
  post(
    '/notes',
    {
      type: 'note',
      attributes: { text: 'n' },
      relationships: { team: { data: { type: 'team', id: '2' } } },
    },
    '1:member',
  ),
  post('/notes', { type: 'note', attributes: { text: 'n', secret: 'x' } }, '1:member'),
  post('/notes', { type: 'note', attributes: { text: 'n' } }),
  patch('/notes/1', { type: 'note', id: '1', attributes: { text: 'm' } }, '1:member'),
  patch('/notes/2', { type: 'note', id: '2', attributes: { text: 'm' } }, '1:member'),
  patch('/notes/3', { type: 'note', id: '3', attributes: { text: 'm' } }, '1:member'),
  patch('/notes/2', { type: 'note', id: '2', attributes: { secret: 'm' } }, '1:admin'),
  patch('/notes/1/relationships/team', { type: 'team', id: '2' }, '1:member'),
  remove('/notes/1', undefined, '1:admin'),
  patch('/teams/1', { type: 'team', id: '1', attributes: { name: 'x' } }, '1:member'),
  patch(
    '/teams/1/relationships/members',
    [
      { type: 'author', id: '1' },
      { type: 'author', id: '4' },
    ],
    '1:admin',
  ),
  remove('/teams/2', undefined, '1:member'),
  act('/notes/1/actions/finish', { text: 'done' }, '1:member'),
  act('/notes/1/actions/finish', undefined, '1:member'),
  act('/notes/3/actions/finish', undefined, '1:member'),
  act('/notes/3/actions/rename', { text: 'r' }, '2:admin'),
  act('/notes/3/actions/rename', { text: 'r' }, '2:member'),
  act('/notes/3/actions/rename', { txt: 1 }, '2:admin'),
  act('/teams/actions/open', undefined, '2:member'),
  act('/teams/actions/statistics', { done: true }, '2:member'),
  act('/notes/3/actions/touch', undefined, '2:member'),
  get('/teams/actions/open'),
]

/** The description, the pages for browsers, and their files. */
const described = [
  get('/openapi.json', { Accept: 'application/json' }),
  get('/books.schema.json', { Accept: 'application/json' }),
  get('/nowhere.schema.json', { Accept: 'application/json' }),
  page(''),
  page('/books?include=author&sort=-title'),
  page('/books/1'),
  page('/books/1/relationships/tags'),
  page('/notes', { 'x-user': '2:member' }),
  page('/authors?colour=red'),
  page('/nowhere'),
  get('/docs', { Accept: 'text/html' }),
  get('/html.model.json', { Accept: 'application/json' }),
]

/** The requests, in order: each sees what those before it have written. */
export const requests: readonly GoldenRequest[] = [
  ...reads,
  ...cursorPaths.map((path) => get(path)),
  ...streams,
  ...ruledReads,
  ...rejected,
  ...writes,
  ...rejectedWrites,
  ...ruledWrites,
  ...described,
]

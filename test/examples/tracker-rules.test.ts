import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../examples/tracker/app.ts'
import { mediaType } from '../client.ts'
import { secret, signToken, type UserName, users } from './tracker-fixture.ts'

const filter = (clause: object) => `filter=${encodeURIComponent(JSON.stringify([clause]))}`
const identifier = (type: string, id: string) => ({ type, id })
const linked = (type: string, id: string, name: string, data: unknown) => ({
  data: { type, id, relationships: { [name]: { data } } },
})
const created = (type: string, attributes: object, name: string, data: unknown) => ({
  data: { type, attributes, relationships: { [name]: { data } } },
})

/** What somebody who is not a member of a project tries with the id of the project, or of its issue or comment. */
// biome-ignore format: a table, one request a row
const attempts: readonly (readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: (id: string) => object])[] = [
  ['GET', '/projects/:id'],
  ['GET', '/projects/:id/issues'],
  ['GET', '/projects/:id/relationships/members'],
  ['GET', '/issues/:id?include=project,comments.author'],
  ['GET', '/issues/:id/comments'],
  ['GET', '/comments/:id/issue'],
  ['PATCH', '/issues/:id', (id) => ({ data: { type: 'issues', id, attributes: { status: 'closed' } } })],
  ['DELETE', '/issues/:id'],
  ['DELETE', '/comments/:id'],
  ['POST', '/issues', (id) => created('issues', { title: 'Trap' }, 'project', identifier('projects', id))],
  ['POST', '/projects/:id/issues', () => ({ data: { type: 'issues', attributes: { title: 'Trap' } } })],
  ['POST', '/comments', (id) => created('comments', { body: 'Trap' }, 'issue', identifier('issues', id))],
  ['POST', '/projects/:id/relationships/members', () => ({ data: [identifier('users', '3')] })],
  ['PATCH', '/projects/:id/relationships/members', () => ({ data: [identifier('users', '3')] })],
  ['POST', '/issues/:id/relationships/labels', () => ({ data: [identifier('labels', '1')] })],
  // From the side of what they may write.
  ['PATCH', '/issues/2', (id) => linked('issues', '2', 'project', identifier('projects', id))],
  ['PATCH', '/issues/2/relationships/project', (id) => ({ data: identifier('projects', id) })],
  ['PATCH', '/projects/2', (id) => linked('projects', '2', 'issues', [identifier('issues', id)])],
  ['POST', '/projects/2/relationships/issues', (id) => ({ data: [identifier('issues', id)] })],
  ['POST', '/issues/2/relationships/comments', (id) => ({ data: [identifier('comments', id)] })],
  ['POST', '/users/3/relationships/comments', (id) => ({ data: [identifier('comments', id)] })],
]

/** Lists that would show something of the other project. */
const lists = [
  '/projects',
  '/issues?sort=project.name,-title&include=project,comments',
  '/comments?include=issue.project',
  '/issues?page[size]=1&page[number]=2',
  `/users?${filter({ name: 'comments', op: 'any', val: { name: 'body', op: 'like', val: 'secret' } })}`,
  `/users?${filter({ name: 'comments__issue__title', op: 'like', val: 'secret' })}`,
  '/users?include=comments.issue.project',
  '/users/2/comments',
  '/users/2/relationships/comments',
]

describe('The rules of the tracker, over HTTP', () => {
  let app: FastifyInstance
  const send = async (user: UserName, method: string, path: string, payload?: object) => {
    const response = await app.inject({
      ...{ method: method as 'GET', url: `/api${path}` },
      headers: {
        authorization: `Bearer ${await signToken(users[user])}`,
        ...(payload && { 'content-type': mediaType }),
      },
      ...(payload && { payload }),
    })
    return { status: response.statusCode, body: response.body }
  }
  before(async () => {
    const settings = { database: ':memory:', secret, webOrigin: 'http://localhost' }
    app = await createApp({ ...settings, maxRequests: 1000 })
    const create = async (user: UserName, type: string, attributes: object, relations?: object) => {
      const relationships = relations && { relationships: relations }
      const data = { type, attributes, ...relationships }
      assert.equal((await send(user, 'POST', `/${type}`, { data })).status, 201)
    }
    const to = (type: string, id: string) => ({ data: { type, id } })
    for (const [name, { role }] of Object.entries(users))
      await create('ada', 'users', { name, email: `${name}@example.org`, role })
    await create('ada', 'labels', { name: 'bug', color: '#cc0000' })
    for (const [user, project] of [['ben', '1'], ['cyd', '2']] as const) {
      const secretOf = user === 'ben' ? 'secret' : 'own'
      await create(user, 'projects', { name: `${secretOf} project` })
      await create(user, 'issues', { title: `${secretOf} issue` }, { project: to('projects', project) })
    } // biome-ignore format: few lines
    await create('ben', 'comments', { body: 'secret comment' }, { issue: to('issues', '1') })
  })
  after(() => app.close())

  for (const [method, path, body] of attempts)
    it(`given a row of another project, when ${method} ${path} names it, then the answer is that of an absent one`, async () => {
      const [hidden, absent] = await Promise.all(
        ['1', '99'].map((id) => send('cyd', method, path.replace(':id', id), body?.(id))),
      )
      assert.ok(hidden && absent)
      assert.equal(hidden.status, 404, hidden.body)
      assert.equal(hidden.body.replaceAll('"1\\"', '"99\\"'), absent.body)
      assert.doesNotMatch(hidden.body, /secret/)
    })

  for (const path of lists)
    it(`given rows of another project, when ${path} is read, then it shows none of them`, async () => {
      const { status, body } = await send('cyd', 'GET', path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(body.replaceAll(/"self":"[^"]*"/g, ''), /secret/, path)
      const seen = await send('ada', 'GET', path)
      assert.notEqual(seen.body, body, path)
    })
})

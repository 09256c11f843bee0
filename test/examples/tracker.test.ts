import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ManyErrors, NotFoundError, sql } from 'lapidary'
import { attachFile, closeIssue } from '../../examples/tracker/tracker.ts'
import { absolutePath, readPage } from '../docs/pages.ts'
import { openSample } from './tracker-fixture.ts'

const hidden = { code: 'not_found', status: 404 }
const hiddenRelated = { code: 'related_not_found', status: 404 }
const forbidden = { code: 'forbidden', status: 403 }

describe('The tracker', () => {
  it('has at most 250 lines of TypeScript under Fastify, blank lines and comments aside', () => {
    const folder = 'examples/tracker'
    const files = readdirSync(absolutePath(folder)).filter((file) => file.endsWith('.ts'))
    const fastify = files.filter((file) => !['express.ts', 'hono.ts', 'main.ts'].includes(file))
    assert.deepEqual(fastify, ['app.ts', 'model.ts', 'tracker.ts'])
    const lines = fastify.flatMap((file) => readPage(`${folder}/${file}`).split('\n'))
    const code = lines.filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line))
    assert.ok(code.length <= 250, String(code.length))
  })

  it('starts without warnings about its tables', async (test) => {
    const { store } = await openSample(test)
    assert.deepEqual(await store.verify(), { warnings: [], unserved: [] })
  })

  it('sets the author and the time of an issue', async (test) => {
    const { as } = await openSample(test)
    const issue = await as('ben').get('issues', '1', { include: ['author', 'labels', 'project'] })
    assert.deepEqual(
      [issue.author?.name, issue.project?.name, issue.labels.map(({ name }) => name)],
      ['ben', 'Engine', ['bug']],
    )
    assert.deepEqual([issue.status, issue.comment_count, issue.closed_at], ['open', 1, null])
    assert.ok(Math.abs(Date.parse(issue.created_at ?? '') - Date.now()) < 60_000)
  })

  it('makes who creates a project its only member, whatever the request says', async (test) => {
    const { as } = await openSample(test)
    const project = await as('cyd').create(
      'projects',
      { name: 'Trap', members: ['1', '2'] },
      { include: ['members'] },
    )
    assert.deepEqual(
      project.members.map(({ name }) => name),
      ['cyd'],
    )
  })

  it('trims and checks texts', async (test) => {
    const { as } = await openSample(test)
    const issue = await as('ben').create('issues', { title: '  Slow ', project: '1' })
    assert.equal(issue.title, 'Slow')
    await assert.rejects(as('ada').create('labels', { name: ' ', color: 'red' }), (error) => {
      assert.ok(error instanceof ManyErrors)
      assert.equal(error.status, 422)
      assert.deepEqual(
        error.errors.map(({ location }) => location),
        ['/data/attributes/name', '/data/attributes/color'],
      )
      return true
    })
  })

  it('shows projects to three identities: administrators, members and others', async (test) => {
    const { as } = await openSample(test)
    for (const type of ['projects', 'issues', 'comments'] as const) {
      for (const [user, count] of [
        ['ada', 1],
        ['ben', 1],
        ['cyd', 0],
      ] as const)
        assert.equal((await as(user).list(type)).meta.count, count, `${user}: ${type}`)
      await assert.rejects(as('cyd').get(type, '1'), hidden)
    }
    const seen = await as('cyd').list('users', { include: ['comments'], sort: ['id'] })
    assert.deepEqual(
      seen.data.map(({ comments }) => comments),
      [[], [], []],
    )
    const found = await as('cyd').list('users', {
      filter: [{ name: 'comments__body', op: 'eq', val: 'Every day.' }],
    })
    assert.deepEqual(found.data, [])
  })

  describe('admits only members of a project', () => {
    it('to its issues', async (test) => {
      const { as } = await openSample(test)
      const cyd = as('cyd')
      await assert.rejects(cyd.create('issues', { title: 'Mine', project: '1' }), hiddenRelated)
      await assert.rejects(cyd.update('issues', '1', { title: 'Mine' }), hidden)
      const ada = as('ada').update('issues', '1', { title: 'Mine' })
      await assert.rejects(ada, forbidden)
      await assert.rejects(cyd.remove('issues', '1'), hidden)
      await assert.rejects(cyd.relate('issues', '1', 'labels', { remove: ['1'] }), hidden)
      await as('ben').relate('projects', '1', 'members', { add: ['3'] })
      assert.equal((await cyd.update('issues', '1', { title: 'Ours' })).title, 'Ours')
    })

    it('to its comments and attachments', async (test) => {
      const { as } = await openSample(test)
      const cyd = as('cyd')
      await assert.rejects(cyd.create('comments', { body: 'Hi.', issue: '1' }), hiddenRelated)
      await assert.rejects(
        attachFile(cyd, '1', { name: 'a.txt', bytes: Buffer.from('a') }),
        hiddenRelated,
      )
      await assert.rejects(closeIssue(cyd, '1', 'Done.'), hiddenRelated)
    })

    it('to its name and its members', async (test) => {
      const { as } = await openSample(test)
      const cyd = as('cyd')
      await assert.rejects(cyd.update('projects', '1', { name: 'Mine' }), hidden)
      await assert.rejects(cyd.relate('projects', '1', 'members', { add: ['3'] }), hidden)
      const ada = as('ada').relate('projects', '1', 'members', { add: ['1'] })
      await assert.rejects(ada, forbidden)
      await assert.rejects(cyd.remove('projects', '1'), hidden)
    })

    it('when an issue changes its project, from either side', async (test) => {
      const { as } = await openSample(test)
      const cyd = as('cyd')
      await cyd.create('projects', { name: 'Other' })
      await assert.rejects(as('ben').update('issues', '1', { project: '2' }), hiddenRelated)
      await assert.rejects(cyd.relate('projects', '2', 'issues', { add: ['1'] }), hiddenRelated)
      await assert.rejects(cyd.create('projects', { name: 'New', issues: ['1'] }), hiddenRelated)
      const { project } = await as('ada').get('issues', '1', { include: ['project'] })
      assert.equal(project?.name, 'Engine')
    })
  })

  describe('keeps a comment with its author', () => {
    it('in an update and a deletion', async (test) => {
      const { as } = await openSample(test)
      await as('ben').relate('projects', '1', 'members', { add: ['3'] })
      await assert.rejects(as('cyd').update('comments', '1', { body: 'Never.' }), forbidden)
      await assert.rejects(as('cyd').remove('comments', '1'), forbidden)
      assert.equal((await as('ben').update('comments', '1', { body: 'Daily.' })).body, 'Daily.')
    })

    it('when another user takes it through the other side of the relationship', async (test) => {
      const { as } = await openSample(test)
      await as('ben').relate('projects', '1', 'members', { add: ['3'] })
      const take = (user: 'ada' | 'cyd', id: string) => [
        as(user).relate('users', id, 'comments', { add: ['1'] }),
        as(user).relate('users', id, 'comments', { replace: ['1'] }),
        as(user).update('users', id, { comments: ['1'] }),
      ]
      for (const taken of [...take('cyd', '3'), ...take('ada', '1')])
        await assert.rejects(taken, forbidden)
      const thief = { name: 'Eve', email: 'eve@example.org', comments: ['1'] }
      await assert.rejects(as('ada').create('users', thief), forbidden)
      const { author } = await as('ada').get('comments', '1', { include: ['author'] })
      assert.equal(author?.name, 'ben')
    })

    it('when its author gives it away, or moves it to another issue', async (test) => {
      const { as } = await openSample(test)
      const ben = as('ben')
      await ben.create('issues', { title: 'Another', project: '1' })
      await assert.rejects(ben.update('comments', '1', { issue: '2' }), forbidden)
      await assert.rejects(ben.relate('issues', '2', 'comments', { add: ['1'] }), forbidden)
      await assert.rejects(as('ben').relate('users', '2', 'comments', { remove: ['1'] }), forbidden)
    })
  })

  it('lets users change themselves, but not their role, and nobody else', async (test) => {
    const { as } = await openSample(test)
    assert.equal((await as('ben').update('users', '2', { name: 'Benjamin' })).name, 'Benjamin')
    await assert.rejects(as('ben').update('users', '2', { role: 'admin' }), forbidden)
    await assert.rejects(as('ben').update('users', '3', { name: 'x' }), forbidden)
    await assert.rejects(as('ben').remove('users', '3'), forbidden)
    const eve = { name: 'Eve', email: 'eve@example.org' }
    await assert.rejects(as('ben').create('users', eve), forbidden)
    await assert.rejects(as('ben').create('labels', { name: 'x', color: '#000000' }), forbidden)
  })

  it('marks an issue as deleted, and finds it nowhere', async (test) => {
    const { as, query } = await openSample(test)
    await as('ben').remove('issues', '1')
    await assert.rejects(as('ben').get('issues', '1'), NotFoundError)
    assert.deepEqual((await as('ben').get('projects', '1', { include: ['issues'] })).issues, [])
    assert.deepEqual((await as('ben').list('issues')).meta, { count: 0 })
    const [row] = await query(sql`select title from issues where deleted_at is not null`)
    assert.deepEqual(row, { title: 'It stops' })
  })

  it('closes an issue in one transaction', async (test) => {
    const { as, query } = await openSample(test)
    const { data } = await closeIssue(as('ben'), '1', 'Fixed.')
    assert.equal(data?.attributes.status, 'closed')
    assert.ok(data?.attributes.closed_at)
    assert.deepEqual(
      (await as('ben').get('issues', '1', { include: ['comments'] })).comments.map(
        ({ body }) => body,
      ),
      ['Every day.', 'Fixed.'],
    )
    assert.deepEqual(await query(sql`select task, issue_id from jobs`), [
      { task: 'mail_closed', issue_id: 1 },
    ])
    const reopened = await as('ben').update('issues', '1', { status: 'open' })
    assert.equal(reopened.closed_at, null)
  })

  it('leaves nothing behind if closing fails', async (test) => {
    const { as, query } = await openSample(test)
    await assert.rejects(closeIssue(as('ben'), '1', ' '), { code: 'invalid_value', status: 422 })
    await assert.rejects(closeIssue(as('ben'), '99', 'Fixed.'))
    assert.deepEqual(await query(sql`select task from jobs`), [])
    assert.equal((await as('ben').get('issues', '1')).status, 'open')
  })

  it('writes each change to the audit log, in its transaction', async (test) => {
    const { as, query } = await openSample(test)
    await query(sql`delete from audit_log`)
    await as('ben').update('issues', '1', { title: 'It stops at noon' })
    await as('ben').relate('issues', '1', 'labels', { remove: ['1'] })
    await assert.rejects(as('cyd').update('issues', '1', { title: 'x' }), hidden)
    await as('ben').remove('issues', '1')
    const log = await query(
      sql`select user_id, operation, type, resource_id, fields from audit_log`,
    )
    assert.deepEqual(
      log.map((entry) => Object.values(entry)),
      [
        ['2', 'update', 'issues', '1', '["title"]'],
        ['2', 'update', 'issues', '1', '["labels"]'],
        ['2', 'delete', 'issues', '1', '[]'],
      ],
    )
  })

  it('stores files, and returns their size', async (test) => {
    const { as } = await openSample(test)
    const bytes = new Uint8Array([0, 255, 1])
    const { data } = await attachFile(as('ben'), '1', { name: 'a.bin', bytes })
    assert.deepEqual(data?.attributes, { name: 'a.bin', size: 3 })
    const stored = await as('ada').get('attachments', '1')
    assert.deepEqual([stored.content, stored.size], ['AP8B', 3])
    const change = as('ben').update('attachments', '1', { name: 'b.bin' })
    await assert.rejects(change, forbidden)
  })
})

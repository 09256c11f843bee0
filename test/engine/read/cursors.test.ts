import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, date, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { createSealer } from '../../../src/model/seal.ts'
import { type Engine, engine } from '../engine.ts'

const secret = 'the secret of the tests'
const task = resource('task', {
  path: '/tasks',
  table: 'task',
  fields: {
    title: attribute(text),
    due: attribute(date),
    rank: attribute(integer),
    owner: toOne('owner', { column: 'owner_id' }),
  },
})
const owner = resource('owner', {
  path: '/owners',
  table: 'owner',
  fields: { name: attribute(text), tasks: toMany('task', { column: 'owner_id', count: true }) },
})
const note = resource('note', {
  path: '/notes',
  table: 'task',
  pages: { by: 'cursor', total: 'none' },
  fields: { title: attribute(text), rank: attribute(integer) },
})

const served = {
  model: defineModel([task, owner, note], { secret, maxPageSize: 50 }),
  tables: (types: { newId: string; text: string; date: string; integer: string; id: string }) => `
    create table owner (id ${types.newId}, name ${types.text});
    create table task (id ${types.newId}, title ${types.text}, due ${types.date}, rank ${types.integer}, owner_id ${types.id});
    insert into owner (name) values ('Ada'), ('Bob'), (null);
    insert into task (title, due, rank, owner_id) values
      ('a', '2026-01-01', 1, 1), ('b', null, 1, 1), ('c', '2026-01-01', 2, 2), ('d', '2026-03-01', null, null), ('e', null, 2, 3);
  `,
}

type Body = Awaited<ReturnType<Engine['get']>>['body']

function idsOf({ data }: Body): string[] {
  return Array.isArray(data) ? data.map(({ id }) => String(id)) : []
}

/** A resource with its cursor. */
interface Cursored {
  readonly id: string
  readonly meta: Readonly<{ page: Readonly<{ cursor: string }> }>
}

function linkOf({ links }: Body, name: string): string {
  const link = links?.[name]
  assert.equal(typeof link, 'string', `${name} is ${JSON.stringify(link)}`)
  return String(link).replace(/^https?:\/\/[^/]*/, '')
}

function cursorIn(url: string): string {
  const { searchParams } = new URL(url, 'http://localhost')
  return searchParams.get('page[after]') ?? searchParams.get('page[before]') ?? ''
}

engine('Pages between cursors', served, (app) => {
  it('have the links first, prev, next and last, null where there is nothing', async () => {
    const { body } = await app.get('/tasks?sort=-due&page[size]=2&page[total]=exact')
    assert.deepEqual(idsOf(body), ['2', '5'])
    assert.deepEqual(Object.keys(body.links ?? {}), ['self', 'first', 'prev', 'next', 'last'])
    assert.equal(body.links?.prev, null)
    assert.deepEqual(body.meta, { count: 5, page: { total: 5 } })
    const second = await app.get(linkOf(body, 'next'))
    assert.deepEqual(idsOf(second.body), ['4', '1'])
    const third = await app.get(linkOf(second.body, 'next'))
    assert.deepEqual(idsOf(third.body), ['3'])
    assert.equal(third.body.links?.next, null)
    assert.deepEqual(idsOf((await app.get(linkOf(third.body, 'prev'))).body), ['4', '1'])
    const last = await app.get(linkOf(body, 'last'))
    assert.deepEqual(idsOf(last.body), ['1', '3'])
    assert.equal(last.body.links?.next, null)
    assert.deepEqual(idsOf((await app.get(linkOf(last.body, 'first'))).body), ['2', '5'])
  })

  it('given the same request twice, then the links are equal', async () => {
    const first = await app.get('/tasks?page[size]=2&page[total]=none')
    assert.equal((await app.get('/tasks?page[size]=2&page[total]=none')).text, first.text)
  })

  it('given an empty page, then the link back does not skip the resource of the cursor', async () => {
    const { body } = await app.get('/tasks?page[cursors]=true&sort=title')
    const cursors = Array.isArray(body.data) ? body.data.map(({ meta }) => meta?.page?.cursor) : []
    const empty = await app.get(`/tasks?sort=title&page[size]=2&page[after]=${cursors[4]}`)
    assert.deepEqual(idsOf(empty.body), [])
    assert.equal(empty.body.links?.next, null)
    assert.deepEqual(idsOf((await app.get(linkOf(empty.body, 'prev'))).body), ['4', '5'])
    const before = await app.get(`/tasks?sort=title&page[size]=2&page[before]=${cursors[0]}`)
    assert.deepEqual(idsOf(before.body), [])
    assert.equal(before.body.links?.prev, null)
    assert.deepEqual(idsOf((await app.get(linkOf(before.body, 'next'))).body), ['1', '2'])
    const range = await app.get(
      `/tasks?sort=title&page[after]=${cursors[0]}&page[before]=${cursors[1]}`,
    )
    assert.deepEqual(idsOf(range.body), [])
    assert.deepEqual(idsOf((await app.get(linkOf(range.body, 'next'))).body)[0], '2')
    assert.deepEqual(idsOf((await app.get(linkOf(range.body, 'prev'))).body).at(-1), '1')
  })

  it('given both cursors, then the page is the range between them, cut at its size', async () => {
    const { body } = await app.get('/tasks?page[cursors]=true&page[size]=1')
    const after = cursorIn(linkOf(body, 'next'))
    const before = cursorIn(linkOf(body, 'last'))
    const range = await app.get(`/tasks?page[after]=${after}&page[before]=${before}&page[size]=2`)
    assert.deepEqual(idsOf(range.body), ['2', '3'])
    assert.deepEqual(range.body.meta, { count: 5, page: { total: 5, rangeTruncated: true } })
    const rest = await app.get(linkOf(range.body, 'next'))
    assert.deepEqual(idsOf(rest.body), ['4', '5'])
    assert.deepEqual(rest.body.meta, { count: 5, page: { total: 5 } })
    const all = await app.get(`/tasks?page[after]=${after}&page[before]=${before}`)
    assert.deepEqual(idsOf(all.body), ['2', '3', '4', '5'])
  })

  it('given a type that pages by cursors, then its lists do without a parameter', async () => {
    const { body } = await app.get('/notes?page[size]=4')
    assert.deepEqual(idsOf(body), ['1', '2', '3', '4'])
    assert.deepEqual(body.meta, { page: {} })
    assert.doesNotMatch(linkOf(body, 'first'), /total/)
    assert.deepEqual(idsOf((await app.get(linkOf(body, 'next'))).body), ['5'])
    const numbered = await app.get('/notes?page[number]=1&page[size]=0')
    assert.deepEqual(
      numbered.body.errors?.map(({ code, source }) => [code, source?.parameter]),
      [
        ['invalid_page', 'page[size]'],
        ['invalid_page', 'page[number]'],
      ],
    )
  })

  it('given related resources and linkage, then they are paged, with cursors of the type', async () => {
    const { body } = await app.get('/tasks?page[size]=1&sort=title&page[total]=none')
    const after = cursorIn(linkOf(body, 'next'))
    const related = await app.get(`/owners/1/tasks?sort=title&page[after]=${after}`)
    assert.deepEqual(idsOf(related.body), ['2'])
    const linkage = await app.get(
      '/owners/1/relationships/tasks?page[size]=1&page[cursors]=true&include=tasks',
    )
    assert.deepEqual(idsOf(linkage.body), ['1'])
    assert.deepEqual(
      linkage.body.included?.map(({ id }) => id),
      ['1'],
    )
    assert.deepEqual(linkage.body.meta, { count: 2, page: { total: 2 } })
    assert.deepEqual(idsOf((await app.get(linkOf(linkage.body, 'next'))).body), ['2'])
    const absent = await app.get('/owners/99/tasks?page[total]=none')
    assert.equal(absent.status, 404)
  })

  it('given included resources, then only those of the page are included', async () => {
    const { body } = await app.get('/tasks?include=owner&page[size]=2&page[total]=none&sort=-id')
    assert.deepEqual(idsOf(body), ['5', '4'])
    assert.deepEqual(
      body.included?.map(({ id }) => id),
      ['3'],
    )
    const last = await app.get(linkOf(body, 'last'))
    assert.deepEqual(idsOf(last.body), ['2', '1'])
    assert.deepEqual(
      last.body.included?.map(({ id }) => id),
      ['1'],
    )
  })

  if (app.dialect === 'sqlite')
    for (const text of [
      'char(0)',
      "char(0) || 'b'",
      "cast(x'ff' as text)",
      "cast(x'ff00fe' as text)",
    ])
      it(`given a sort key with ${text}, then lists and members continue behind its cursor`, async () => {
        await app.execute(`update task set title = 'a' || ${text}, owner_id = 1 where id in (2, 4)`)
        const cursors = new Map<string, string>()
        const { body } = await app.get('/tasks?sort=title&page[cursors]=true')
        for (const { id, meta } of body.data as Cursored[]) cursors.set(id, meta.page.cursor)
        for (const [index, id] of ['1', '2', '4', '3', '5'].entries()) {
          const rest = ['1', '2', '4', '3', '5'].slice(index + 1)
          const after = `[after]=${cursors.get(id)}`
          assert.deepEqual(idsOf((await app.get(`/tasks?sort=title&page${after}`)).body), rest, id)
          const path = `/owners/1?include=tasks&includeSort[tasks]=title&includePage[tasks]${after}`
          const { included = [] } = (await app.get(path)).body
          const members = rest.filter((each) => ['1', '2', '4'].includes(each))
          assert.deepEqual(included.map((each) => each.id).toSorted(), members.toSorted(), id)
        }
      })

  it('given page[total]=none, then no page is counted, not even one that has all resources', async () => {
    for (const query of ['', '&filter[id]=1,2&page[size]=2', '&filter[id]=99'])
      for (const path of ['/tasks', '/owners/1/tasks', '/owners/1/relationships/tasks']) {
        const { body } = await app.get(`${path}?page[total]=none${query}`)
        assert.deepEqual(body.meta, { page: {} }, `${path} ${query}`)
      }
  })

  it('given page[total]=capped, then a short list is counted exactly', async () => {
    const { body } = await app.get('/tasks?page[total]=capped&page[size]=1')
    assert.deepEqual(body.meta, { count: 5, page: { total: 5 } })
  })

  it('given a capped list of more than 10,000 resources, then the count is a guess', async () => {
    const rows = Array.from({ length: 10_100 }, (_, index) => `('x${index}')`)
    await app.execute(`insert into task (title) values ${rows.join(', ')}`)
    const { body } = await app.get('/tasks?page[total]=capped&page[size]=1')
    assert.deepEqual(body.meta, { page: { estimatedTotal: { bestGuess: 10_001 } } })
    const exact = await app.get('/tasks?page[total]=exact&page[size]=1')
    assert.deepEqual(exact.body.meta, { count: 10_105, page: { total: 10_105 } })
  })

  it('given a sort key of more than 512 bytes, then the cursor refers to the resource', async () => {
    const long = 'é'.repeat(300)
    await app.execute(`update task set title = '${long}' || title where id in (2, 3)`)
    const { body } = await app.get('/tasks?sort=-title&page[size]=1&page[total]=none')
    assert.deepEqual(idsOf(body), ['3'])
    const next = linkOf(body, 'next')
    assert.ok(next.length < 300, next)
    assert.deepEqual(idsOf((await app.get(next)).body), ['2'])
    await app.execute('delete from task where id = 3')
    const gone = await app.get(next)
    assert.equal(gone.status, 400)
    assert.equal(gone.body.errors?.[0]?.code, 'cursor_expired')
    assert.equal(gone.body.errors?.[0]?.source?.parameter, 'page[after]')
  })

  it('given a key of exactly 512 bytes, then its cursor outlives the resource', async () => {
    await app.execute(`update task set title = '${'z'.repeat(512)}' where id = 2`)
    const { body } = await app.get('/tasks?sort=-title&page[size]=1&page[total]=none')
    await app.execute('delete from task where id = 2')
    assert.deepEqual(idsOf((await app.get(linkOf(body, 'next'))).body), ['5'])
  })

  it('given a cursor of another sort order, then the error names the order of the cursor', async () => {
    const { body } = await app.get('/tasks?sort=-owner.name,title&page[size]=1&page[total]=none')
    const after = cursorIn(linkOf(body, 'next'))
    const { status, body: rejected } = await app.get(`/tasks?sort=title&page[after]=${after}`)
    assert.equal(status, 400)
    assert.deepEqual(
      rejected.errors?.map(({ code, source }) => [code, source?.parameter]),
      [['invalid_cursor', 'page[after]']],
    )
    assert.equal(
      rejected.errors?.[0]?.detail,
      'page[after]: the cursor belongs to the sort order "-owner.name,title,id"; start again without it, or send its sort.',
    )
  })

  it('given a cursor of another type, secret or form, then it is rejected', async () => {
    const { body } = await app.get('/owners?page[size]=1&page[total]=none')
    const ofOwner = cursorIn(linkOf(body, 'next'))
    const foreign = createSealer(['another secret of the tests']).seal('cursor', Buffer.from('a'))
    const damaged = `${ofOwner.slice(0, -2)}AA`
    for (const cursor of [ofOwner, foreign, damaged, '', 'a b', 'é', '0', 'x'.repeat(5000)])
      for (const parameter of ['page[after]', 'page[before]']) {
        const query = `${parameter}=${encodeURIComponent(cursor)}`
        const { status, body: rejected } = await app.get(`/tasks?${query}`)
        assert.equal(status, 400, cursor)
        const [error] = rejected.errors ?? []
        assert.equal(error?.code, 'invalid_cursor')
        assert.match(String(error?.detail), /start again without it\.$/)
        assert.equal(error?.source?.parameter, parameter)
      }
  })

  it('given the cursor of the end as page[after], then it is rejected', async () => {
    const { body } = await app.get('/tasks?page[size]=1&page[total]=none')
    const end = cursorIn(linkOf(body, 'last'))
    const { body: rejected } = await app.get(`/tasks?page[after]=${end}`)
    assert.equal(rejected.errors?.[0]?.code, 'invalid_cursor')
  })

  it('given a size above the maximum, then the error has the maximum', async () => {
    const { body } = await app.get('/tasks?page[size]=51&page[total]=none')
    assert.deepEqual(body.errors?.[0]?.meta, { page: { maxSize: 50 } })
  })

  it('given several errors, then all are reported', async () => {
    const { body } = await app.get(
      '/tasks?page[after]=x&page[before]=y&page[size]=0&page[number]=2&page[total]=some&fields[task]=nam',
    )
    assert.deepEqual(
      body.errors?.map(({ source }) => source?.parameter),
      ['page[total]', 'page[size]', 'page[number]', 'page[after]', 'page[before]', 'fields[task]'],
    )
  })

  it('given a filter that many requests share, then each has the links of its own', async () => {
    for (const rank of ['1', '2']) {
      const { body } = await app.get(`/tasks?filter[rank]=${rank}&page[size]=1&page[total]=none`)
      assert.match(linkOf(body, 'next'), new RegExp(`rank%5D=${rank}&`))
      assert.deepEqual(
        idsOf((await app.get(linkOf(body, 'next'))).body),
        rank === '1' ? ['2'] : ['5'],
      )
    }
  })

  it('given a page that is too long for memory, then it is streamed with the same links', async () => {
    const rows = Array.from({ length: 60 }, () => `('${'y'.repeat(40_000)}')`)
    await app.execute(`insert into task (title) values ${rows.join(', ')}`)
    const { body } = await app.get('/tasks?sort=-id&page[size]=50&page[total]=none&include=owner')
    assert.equal(idsOf(body).length, 50)
    const second = await app.get(linkOf(body, 'next'))
    assert.equal(idsOf(second.body).length, 15)
    assert.equal(second.body.links?.next, null)
    const back = await app.get(linkOf(second.body, 'prev'))
    assert.deepEqual(idsOf(back.body), idsOf(body))
    assert.equal(back.body.links?.prev, null)
  })

  it('given versions and cursors, then a resource has both', async () => {
    const { body } = await app.get('/tasks?page[cursors]=true&withVersions=true&page[size]=1')
    const [first] = Array.isArray(body.data) ? body.data : []
    assert.deepEqual(Object.keys(first?.meta ?? {}), ['version', 'page'])
  })
})

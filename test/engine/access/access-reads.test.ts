import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { as, tenancy } from '../tenancy.ts'

engine('Access rules of rows, in reads', tenancy, (fixture) => {
  const [ada, ben, root, nobody] = ['1:member', '2:member', '9:admin', ''].map((user) =>
    as(fixture, user),
  ) as [As, As, As, As]

  for (const [name, user, expected] of [
    ['a member of one project', ada, ['1', '2']],
    ['a member of two', ben, ['1', '2', '3']],
    ['an administrator', root, ['1', '2', '3', '4', '5']],
    ['nobody', nobody, []],
  ] as const)
    it(`restrict a list and its count: ${name}`, async () => {
      const list = await user.get('/tasks')
      assert.deepEqual(ids(list), expected)
      assert.equal(list.body.meta?.count, expected.length)
    })

  it('answer a page and its count for each identity, one after the other', async () => {
    for (const _ of [1, 2, 3]) {
      assert.equal((await ada.get('/tasks?page[size]=1')).body.meta?.count, 2)
      assert.equal((await root.get('/tasks?page[size]=1')).body.meta?.count, 5)
      assert.equal((await ben.get('/tasks?page[size]=1&page[number]=2')).body.meta?.count, 3)
    }
  })

  it('answer a hidden row as one that does not exist', async () => {
    const hidden = await ada.get('/tasks/3')
    const absent = await ada.get('/tasks/77')
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, absent.text.replaceAll('77', '3'))
    assert.equal((await ada.get('/projects/3/tasks')).status, 404)
    assert.equal((await ada.get('/tasks/3/project')).status, 404)
    assert.equal((await ada.get('/projects/2/relationships/tasks')).status, 404)
    assert.equal((await ada.get('/tasks/1')).status, 200)
  })

  it('leave hidden rows out of linkage and of included resources', async () => {
    const { body } = await ada.get('/users?include=projects.tasks,tasks&sort=id')
    const included = (body.included ?? []).map(({ type, id }) => `${type} ${id}`)
    assert.deepEqual(included.sort(), ['projects 1', 'tasks 1', 'tasks 2'])
    const data = Array.isArray(body.data) ? body.data : []
    assert.deepEqual(
      data.map(({ relationships }) => relationships?.projects?.data),
      [[{ type: 'projects', id: '1' }], [{ type: 'projects', id: '1' }], [], []],
    )
    const assignees = await root.get('/tasks?include=project&fields[tasks]=project')
    assert.equal(assignees.many[4]?.relationships?.project?.data, null)
    const linkage = await ada.get('/users/2/relationships/projects')
    assert.deepEqual(linkage.body.data, [{ type: 'projects', id: '1' }])
    assert.deepEqual(ids(await ada.get('/users/2/projects')), ['1'])
  })

  it('hide the key of a to-one relationship to a hidden row', async () => {
    const home = async (user: As, query: string) =>
      (await user.get(`/users?sort=id&${query}`)).many.map(
        ({ relationships }) => relationships?.home?.data ?? null,
      )
    const apollo = { type: 'projects', id: '1' }
    assert.deepEqual(await home(ada, 'fields[users]=home'), [null, apollo, apollo, null])
    assert.deepEqual(await home(ada, 'include=home'), [null, apollo, apollo, null])
    assert.equal((await ada.get('/users/1/home')).body.data, null)
    assert.equal((await ada.get('/users/1/relationships/home')).body.data, null)
    const cobra = { type: 'projects', id: '3' }
    assert.deepEqual((await root.get('/users/1/relationships/home')).body.data, cobra)
    // For conditions and sorts it is null.
    assert.deepEqual(ids(await ada.get('/users?sort=home.name,id')), ['2', '3', '1', '9'])
    const filter = encodeURIComponent(JSON.stringify([{ name: 'home', op: 'eq', val: null }]))
    assert.deepEqual(ids(await ada.get(`/users?filter=${filter}`)), ['1', '9'])
  })

  it('do not let filters and sorts see hidden rows', async () => {
    const byTask = (title: string) =>
      `/users?filter=${encodeURIComponent(JSON.stringify([{ name: 'projects__tasks__title', op: 'eq', val: title }]))}`
    assert.deepEqual(ids(await root.get(byTask('c'))), ['2'])
    assert.deepEqual(ids(await ada.get(byTask('c'))), [])
    assert.deepEqual(ids(await ada.get(byTask('a'))), ['1', '2'])
    const sorted = await root.get('/tasks?sort=-project.name')
    assert.deepEqual(ids(sorted), ['5', '4', '3', '1', '2'])
  })

  it('serve requests without an identity only where the declaration allows it', async () => {
    assert.deepEqual(ids(await nobody.get('/users')), ['1', '2', '3', '9'])
    assert.deepEqual(ids(await nobody.get('/projects')), [])
    assert.equal((await nobody.get('/projects/1')).status, 404)
  })

  it('hide fields like names that do not exist', async () => {
    const seen = await ada.get('/users/1')
    assert.deepEqual(seen.one.attributes, { name: 'Ada', initial: 'A' })
    assert.deepEqual((await root.get('/users/1')).one.attributes, {
      ...{ name: 'Ada', salary: 100, bonus: 10, label: 'Ada 100', initial: 'A' },
    })
    const filter = (name: string) =>
      encodeURIComponent(JSON.stringify([{ name, op: 'gt', val: 1 }]))
    const compared = (name: string) =>
      encodeURIComponent(JSON.stringify([{ name: 'name', op: 'eq', field: name }]))
    for (const name of ['salary', 'bonus', 'label'])
      for (const path of [
        `/users?filter=${filter('NAME')}`,
        `/users?filter=${compared('NAME')}`,
        `/users?filter[NAME]=1`,
        `/users?sort=NAME`,
        `/users?fields[users]=NAME`,
        `/projects?filter=${filter('owner__NAME')}`,
        `/projects?sort=owner.NAME`,
      ]) {
        const unknown = 'xxxxxxx'
        const hidden = await ada.get(path.replaceAll('NAME', name))
        const absent = await ada.get(path.replaceAll('NAME', unknown))
        assert.equal(hidden.status, 400, path)
        assert.equal(hidden.text, absent.text.replaceAll(unknown, name))
      }
    const typo = await ada.get('/users?sort=salar')
    assert.doesNotMatch(typo.error.detail, /salary/)
  })
})

type As = ReturnType<typeof as>

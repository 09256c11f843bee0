import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { Query } from '../../client.ts'
import type { ColumnTypes } from '../../databases.ts'
import { ids, type TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { Forest, family, type TreeNode } from '../forest.ts'

const node = resource('node', {
  path: '/nodes',
  table: 'node',
  fields: {
    name: attribute(text, { required: true }),
    parent: toOne('node', { column: 'parent_id' }),
    children: toMany('node', { column: 'parent_id' }),
  },
})

const treeOf =
  ({ sql }: Forest) =>
  ({ newId }: ColumnTypes) =>
    `
  create table node (id ${newId}, name text not null,
  parent_id integer references node (id) on delete set null deferrable initially deferred);
  ${sql}`
const served = { model: defineModel([node], { maxPageSize: null }), tables: treeOf(family) }

const asTexts = (numbers: readonly number[]) => numbers.map(String)
const included = (response: TestResponse) => (response.body.included ?? []).map(({ id }) => id)
const inOrder = (texts: readonly string[]) =>
  texts.toSorted((one, other) => Number(one) - Number(other))

/** Paths to include, up to three deep and more than one at once. */
const paths = [
  ...['parent', 'children', 'parent,children', 'children.parent', 'parent.children'],
  ...['parent.parent', 'children.children', 'parent.children.parent', 'children.parent.children'],
  ...['parent.parent.parent', 'children.children.children', 'children.children.parent'],
  ...['children.children,parent.parent', 'parent,parent.children,children.parent.parent'],
]

engine('A tree: include', served, (app) => {
  /** Asserts that a response includes what the paths reach, each once, and nothing that is primary data. */
  async function assertIncludes(
    path: string,
    from: readonly TreeNode[],
    query: Query & { include: string },
  ) {
    const response = await app.get(path, query)
    assert.equal(response.status, 200, response.text)
    const primary = new Set([response.body.data ?? []].flat().map(({ id }) => id))
    const isLinkage = path.includes('/relationships/')
    const reached = asTexts(family.reached(from, query.include))
    const expected = isLinkage ? reached : reached.filter((id) => !primary.has(id))
    assert.deepEqual(inOrder(included(response)), expected, `${path} ${query.include}`)
  }

  for (const include of paths)
    it(`includes ${include} of a collection and of its pages`, async () => {
      await assertIncludes('/nodes', family.nodes, { include })
      await assertIncludes('/nodes', family.nodes, { include, 'page[size]': '0' })
      await assertIncludes('/nodes', family.nodes.slice(2, 4), {
        ...{ include, 'page[size]': '2', 'page[number]': '2' },
      })
    })

  for (const include of paths)
    it(`includes ${include} of each node`, async () => {
      for (const start of family.nodes) {
        await assertIncludes(`/nodes/${start.id}`, [start], { include })
      }
    })

  for (const include of paths)
    it(`on a related collection, the include path ${include} does not repeat the relationship in the URL`, async () => {
      for (const start of family.nodes) {
        const { id } = start
        await assertIncludes(`/nodes/${id}/children`, family.follow(start, 'children'), { include })
        const above = family.follow(start, 'parent')
        if (above.length > 0) await assertIncludes(`/nodes/${id}/parent`, above, { include })
      }
    })

  const behind = ['', '.parent', '.children', '.children.parent', '.parent.children.parent']
  for (const name of ['parent', 'children'])
    for (const include of behind.map((path) => name + path))
      it(`on the URL of ${name}, ${include} begins with the relationship and may lead back to the start`, async () => {
        for (const start of family.nodes) {
          if (name === 'parent' && start.parent === null) continue
          await assertIncludes(`/nodes/${start.id}/relationships/${name}`, [start], { include })
        }
      })

  it('includes the parents and children of filtered and sorted pages', async () => {
    const filter = [{ name: 'parent__name', op: 'in_', val: ['m', 'z'] }]
    const page = { sort: '-parent.name,name', 'page[size]': '3' }
    const response = await app.get('/nodes', { filter, include: 'parent,children.parent', ...page })
    assert.deepEqual(ids(response), ['5', '4', '3'])
    assert.deepEqual(inOrder(included(response)), ['1', '2', '6', '7'])
  })

  it('fields hide relationships of the type anywhere in a path', async () => {
    const query = { include: 'parent.children', 'fields[node]': 'name,parent' }
    assert.deepEqual(included(await app.get('/nodes/4', query)), ['2'])
    const none = { include: 'children', 'fields[node]': 'name' }
    assert.deepEqual(included(await app.get('/nodes/4', none)), [])
  })

  it('a node that is its own parent, and two that are each other’s, are returned once', async () => {
    await app.execute(
      "insert into node (id, name, parent_id) values (20, 'o', 20), (21, 'p', 22), (22, 'q', 21)",
    )
    const own = await app.get('/nodes/20', { include: 'parent.parent.children' })
    assert.deepEqual(included(own), [])
    assert.deepEqual(own.one.relationships?.children?.data, [{ type: 'node', id: '20' }])
    const pair = await app.get('/nodes/21', { include: 'parent.parent.parent' })
    assert.deepEqual(included(pair), ['22'])
    const linkage = await app.get('/nodes/20/relationships/parent', { include: 'parent.parent' })
    assert.deepEqual(included(linkage), ['20'])
  })

  it('a path of twenty relationships is followed, one of twenty-one is rejected', async () => {
    const path = (length: number) => Array.from({ length: length }, () => 'parent').join('.')
    assert.deepEqual(included(await app.get('/nodes/7', { include: path(20) })), ['4', '2', '1'])
    const rejected = await app.get('/nodes/7', { include: path(21) })
    assert.equal(rejected.status, 400)
    assert.deepEqual(rejected.error.source, { parameter: 'include' })
  })
})

engine('A tree: filter and sort', served, (app) => {
  const above = (one: TreeNode | undefined) => family.parentOf(one)
  const below = (one: TreeNode) => family.follow(one, 'children')
  const name = (op: string, val: unknown) => ({ name: 'name', op, val })

  const cases: readonly (readonly [object, (node: TreeNode) => boolean])[] = [
    [{ name: 'parent__name', op: 'eq', val: 'z' }, (one) => above(one)?.name === 'z'],
    [
      { name: 'children__name', op: 'lt', val: 'b' },
      (one) => below(one).some((each) => each.name < 'b'),
    ],
    [
      { name: 'parent__parent__name', op: 'eq', val: 'm' },
      (one) => above(above(one))?.name === 'm',
    ],
    [
      { name: 'children__children__id', op: 'ge', val: 6 },
      (one) => below(one).some((each) => below(each).some(({ id }) => id >= 6)),
    ],
    [
      { name: 'parent__children__name', op: 'eq', val: 'b' },
      (one) => family.reached([one], 'parent.children').includes(5),
    ],
    [
      { name: 'parent', op: 'has', val: { not: { name: 'parent', op: 'has' } } },
      (one) => above(one) !== undefined && above(above(one)) === undefined,
    ],
    [
      { name: 'children', op: 'any', val: { name: 'children', op: 'any', val: name('eq', 'x') } },
      (one) => one.id === 2,
    ],
    [
      { not: { name: 'children', op: 'any', val: name('gt', 'b') } },
      (one) => !below(one).some((each) => each.name > 'b'),
    ],
    [
      {
        name: 'children',
        op: 'any',
        val: [name('gt', 'b'), { name: 'parent__name', op: 'eq', val: 'z' }],
      },
      (one) => one.name === 'z',
    ],
    [
      {
        and: [
          { name: 'parent', op: 'isnot', val: null },
          { name: 'children', op: 'eq', val: null },
        ],
      },
      (one) => one.parent !== null && below(one).length === 0,
    ],
    [
      { name: 'parent__id', op: 'in_', val: ['1', '4'] },
      (one) => one.parent === 1 || one.parent === 4,
    ],
  ]
  for (const [filter, matches] of cases)
    it(`given the filter ${JSON.stringify(filter)}, then the nodes are those that match over their parents and children`, async () => {
      const expected = asTexts(family.nodes.filter(matches).map(({ id }) => id))
      assert.notEqual(expected.length, 0, JSON.stringify(filter))
      assert.deepEqual(
        ids(await app.get('/nodes', { filter: [filter] })),
        expected,
        JSON.stringify(filter),
      )
      assert.deepEqual(
        ids(await app.get('/nodes/1/children', { filter: [filter] })),
        expected.filter((id) => ['2', '3'].includes(id)),
      )
    })

  for (const [sort, expected] of [
    ['parent.name', '6 7 2 3 4 5 1 8'],
    ['-parent.name', '1 8 4 5 2 3 7 6'],
    ['parent.parent.name,-name', '4 6 5 7 2 8 1 3'],
    ['-parent.id,-id', '8 1 7 6 5 4 3 2'],
    ['parent.parent.parent.name,parent.name,name', '7 6 3 2 5 4 1 8'],
  ] as const)
    it(`sorts by the parent: nodes without one come last, and first in descending order: ${sort}`, async () => {
      assert.equal(ids(await app.get('/nodes', { sort })).join(' '), expected, sort)
      const page = { sort, 'page[size]': '3', 'page[number]': '2' }
      assert.equal(ids(await app.get('/nodes', page)).join(' '), expected.slice(6, 11), sort)
    })
})

engine('A tree: writes', served, (app) => {
  const identifier = (id: string) => ({ type: 'node', id })
  const childrenOf = async (id: string) => ids(await app.get(`/nodes/${id}/relationships/children`))

  it('a write to the parent changes the children, and the reverse', async () => {
    await app.patch('/nodes/4/relationships/parent', { data: identifier('3') })
    assert.deepEqual(await childrenOf('3'), ['4', '6'])
    await app.patch('/nodes/2/relationships/children', {
      data: [identifier('6'), identifier('8')],
    })
    assert.deepEqual(await childrenOf('2'), ['6', '8'])
    assert.equal((await app.get('/nodes/5/parent')).body.data, null)
    await app.delete('/nodes/2/relationships/children', {
      data: [identifier('6'), identifier('4')],
    })
    assert.deepEqual(await childrenOf('2'), ['8'])
    assert.deepEqual(await childrenOf('3'), ['4'])
  })

  it('a POST to the children of a node sets the parent; a body with another parent is 409', async () => {
    const child = (parent?: unknown) => ({
      data: {
        ...{ type: 'node', attributes: { name: 'n' } },
        ...(parent !== undefined && { relationships: { parent: { data: parent } } }),
      },
    })

    for (const parent of [undefined, identifier('5')]) {
      const made = await app.post('/nodes/5/children', child(parent))
      assert.equal(made.status, 201, made.text)
    }
    assert.deepEqual(await childrenOf('5'), ['9', '10'])
    for (const parent of [identifier('1'), null]) {
      const rejected = await app.post('/nodes/5/children', child(parent))
      assert.equal(rejected.status, 409)
      assert.deepEqual(rejected.error.source, { pointer: '/data/relationships/parent' })
    }
    assert.deepEqual(await childrenOf('5'), ['9', '10'])
  })

  it('one body sets the parent and the children', async () => {
    const made = await app.post('/nodes', {
      data: {
        ...{ type: 'node', attributes: { name: 'n' } },
        relationships: {
          parent: { data: identifier('2') },
          children: { data: [identifier('4'), identifier('8')] },
        },
      },
    })
    assert.equal(made.one.id, '9')
    assert.deepEqual(await childrenOf('9'), ['4', '8'])
    assert.deepEqual(await childrenOf('2'), ['5', '9'])
    const moved = await app.patch('/nodes/9', {
      data: {
        ...identifier('9'),
        relationships: { parent: { data: null }, children: { data: [] } },
      },
    })
    assert.equal(moved.status, 200)
    assert.deepEqual([await childrenOf('9'), await childrenOf('2')], [[], ['5']])
  })

  it('a node can become its own parent, and be unlinked again', async () => {
    await app.patch('/nodes/8/relationships/parent', { data: identifier('8') })
    assert.deepEqual(await childrenOf('8'), ['8'])
    await app.delete('/nodes/8/relationships/children', { data: [identifier('8')] })
    assert.deepEqual(await childrenOf('8'), [])
  })
})

/** More nodes than are returned in one piece, three children each. */
const grove = new Forest(
  Array.from({ length: 1200 }, (_, at) => {
    const parent = at === 0 || at % 100 === 7 ? null : Math.floor((at + 2) / 3)
    return { id: at + 1, name: `n${(at * 7) % 1200}`, parent }
  }),
)

engine('A tree of more than 500 nodes', { ...served, tables: treeOf(grove) }, (app) => {
  for (const include of [
    'parent',
    'children.parent',
    'parent.children.parent',
    'children,parent.parent',
  ])
    it(`a streamed tree with ${include} is complete, and each node occurs once`, async () => {
      const matches = (one: TreeNode) => one.id % 2 === 1 || one.id > 600
      const filter = [
        { name: 'id', op: 'in_', val: grove.nodes.filter(matches).map(({ id }) => id) },
      ]
      const response = await app.get('/nodes', {
        filter,
        include,
        'page[size]': '0',
        sort: '-id',
      })
      assert.equal(response.status, 200, response.text.slice(0, 1000))
      const primary = grove.nodes.filter(matches)
      assert.deepEqual(ids(response), asTexts(primary.map(({ id }) => id).reverse()))
      const reached = grove.reached(primary, include).filter((id) => !matches(grove.at(id)))
      assert.deepEqual(inOrder(included(response)), asTexts(reached), include)
    })

  it('streamed linkage is complete', async () => {
    await app.execute('update node set parent_id = 5 where id > 300')
    const query = { include: 'children.parent.parent' }
    const response = await app.get('/nodes/5/relationships/children', query)
    assert.equal(response.many.length, 900 + 3)
    assert.ok(included(response).includes('5') && included(response).includes('2'))
  })
})

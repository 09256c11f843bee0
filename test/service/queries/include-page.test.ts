import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { identifier, included, linkedIds } from '../people.ts'

describeService('Pages of included resources', (app) => {
  const enter = () =>
    app.fill(async () => {
      const ada = await app.person({ name: 'Ada' })
      const alan = await app.person({ name: 'Alan' })
      const grace = await app.person({ name: 'Grace' })
      const computers: Readonly<{ id: string }>[] = []
      for (const serial of ['B', 'A', 'D', 'C', 'E'])
        computers.push(await app.computer({ serial }, identifier(ada)))
      computers.push(await app.computer({ serial: 'F' }, identifier(grace)))
      return { ada, alan, grace, ids: computers.map(({ id }) => id) }
    })

  it('are the first members of each resource, with a link to the next page', async () => {
    const { ada, ids } = await enter()
    const response = await app.get('/persons', {
      include: 'computers',
      'includePage[computers][size]': 2,
      'includeSort[computers]': '-serial',
      withCount: 'computers',
    })
    assertStatus(response, 200)
    const [first, second, third] = response.many
    assert.deepEqual(first?.relationships?.computers, {
      links: {
        self: `/persons/${ada.id}/relationships/computers`,
        related: `/persons/${ada.id}/computers`,
        prev: null,
        next: `/persons/${ada.id}/relationships/computers?sort=-serial&page%5Bsize%5D=2&page%5Bnumber%5D=2`,
      },
      data: [
        { type: 'computer', id: ids[4] },
        { type: 'computer', id: ids[2] },
      ],
      meta: { count: 5, page: { hasMore: true, total: 5 } },
    })
    assert.deepEqual(linkedIds(second, 'computers'), [])
    assert.deepEqual(linkedIds(third, 'computers'), [ids[5]])
    assert.deepEqual(
      included(response),
      [ids[2], ids[4], ids[5]].map((id) => `computer ${id}`).toSorted(),
    )
    const next = await app.get(
      `/persons/${ada.id}/relationships/computers?sort=-serial&page%5Bsize%5D=2&page%5Bnumber%5D=2`,
    )
    assert.deepEqual(
      next.many.map(({ id }) => id),
      [ids[3], ids[0]],
    )
  })

  it('have filters, and say so', async () => {
    const { ids } = await enter()
    const response = await app.get('/persons', {
      include: 'computers',
      'includeFilter[computers]': [{ name: 'serial', op: 'ge', val: 'C' }],
      'includePage[computers][size]': 2,
    })
    assertStatus(response, 200)
    const [first, , third] = response.many
    assert.deepEqual(linkedIds(first, 'computers'), [ids[2], ids[3]])
    assert.deepEqual(first?.relationships?.computers?.meta, {
      filtered: true,
      page: { hasMore: true },
    })
    assert.deepEqual(third?.relationships?.computers?.meta, {
      filtered: true,
      page: { hasMore: false },
    })
  })

  it('are of every path: a resource lists the members of the first path that reaches it', async () => {
    const { ada, ids } = await enter()
    const response = await app.get(`/persons/${ada.id}`, {
      include: 'computers.owner.computers',
      'includePage[computers][size]': 3,
      'includePage[computers.owner.computers][size]': 1,
    })
    assertStatus(response, 200)
    assert.deepEqual(linkedIds(response.one, 'computers'), ids.slice(0, 3))
    const other = await app.get(`/computers/${ids[0]}`, {
      include: 'owner.computers',
      'includePage[owner.computers][size]': 1,
      'includeSort[owner.computers]': '-serial',
    })
    assertStatus(other, 200)
    assert.deepEqual(included(other), [`computer ${ids[4]}`, `person ${ada.id}`])
  })

  for (const [query, at, says] of [
    [
      { 'includePage[computers][size]': '0' },
      'includePage[computers][size]',
      'must be a whole number from 1 to 9007199254740991; it is "0"; to include nothing, leave the path out of include.',
    ],
    [
      { 'includePage[computer][size]': '1' },
      'includePage[computer][size]',
      'the path "computer" is not included; add it to include, or did you mean "computers"?',
    ],
    [
      { include: '', 'includePage[computers][after]': 'x' },
      'includePage[computers][after]',
      'the path "computers" is not included; add it to include.',
    ],
    [
      { include: 'computers.owner', 'includePage[computers.owner][size]': '1' },
      'includePage[computers.owner][size]',
      '"computers.owner" is a to-one relationship, whose only member has no page',
    ],
    [
      { 'includePage[computers][number]': '1' },
      'includePage[computers][number]',
      'There is no parameter',
    ],
    [
      { 'includeSort[computers]': 'serail' },
      'includeSort[computers]',
      'includeSort[computers]: computer has no field "serail"; did you mean "serial"?',
    ],
    [
      { 'includeFilter[computers]': '[{"name":"serail","op":"eq","val":"x"}]' },
      'includeFilter[computers]',
      'includeFilter[computers][0].name: computer has no field "serail"; did you mean "serial"?',
    ],
    [
      { 'includeFilter[computers]': '[' },
      'includeFilter[computers]',
      'includeFilter[computers]: is not JSON',
    ],
  ] as const)
    it(`is rejected: ${JSON.stringify(query)}`, async () => {
      await enter()
      const response = await app.get('/persons', { include: 'computers', ...query })
      assertErrors(response, 400, { status: 400, at, says })
    })
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { assertErrors } from '../assert-errors.ts'
import { enter, found, labels } from '../people.ts'

/** The first names (or serials) that a JSON filter finds. */
const finds = (app: TestService, path: string, filter: unknown) => found(app, path, { filter })

const named = (val: string) => ({ name: 'name', op: 'eq', val })
const serial = (op: string, val: unknown) => ({ name: 'serial', op, val })

describeService('Filters through relationships', (app) => {
  for (const [val, expected] of [
    [serial('eq', 'ENIAC'), ['Ada']],
    [serial('like', 'a'), ['Grace']],
    [serial('like', '%'), ['Ada', 'Grace']],
    [serial('eq', 'Orphan'), []],
    [{ not: serial('eq', 'ENIAC') }, ['Ada', 'Grace']],
    [{ or: [serial('eq', 'ENIAC'), serial('eq', 'Mark I')] }, ['Ada', 'Grace']],
    [{ and: [serial('eq', 'ENIAC'), serial('eq', 'Zuse_Z3')] }, []],
    [[serial('startswith', 'Z'), serial('endswith', '3')], ['Ada']],
    [[serial('startswith', 'E'), serial('endswith', '3')], []],
    [undefined, ['Ada', 'Grace']],
    [null, ['Ada', 'Grace']],
  ])
    it(`any on a to-many relationship finds resources with a related one that matches ${JSON.stringify(val)}`, async () => {
      await enter(app)
      const filter = [{ name: 'computers', op: 'any', ...(val !== undefined && { val }) }]
      assert.deepEqual(await finds(app, '/persons', filter), expected, JSON.stringify(filter))
    })

  for (const [val, expected] of [
    [named('Ada Lovelace'), ['ENIAC', 'Zuse_Z3']],
    [{ not: named('Ada Lovelace') }, ['Mark']],
    [{ name: 'email', op: 'is_', val: null }, ['Mark']],
    [undefined, ['ENIAC', 'Zuse_Z3', 'Mark']],
    [null, ['ENIAC', 'Zuse_Z3', 'Mark']],
  ])
    it(`has on a to-one relationship finds resources whose related one matches ${JSON.stringify(val)}`, async () => {
      await enter(app)

      const filter = [{ name: 'owner', op: 'has', ...(val !== undefined && { val }) }]
      assert.deepEqual(await finds(app, '/computers', filter), expected, JSON.stringify(filter))
    })

  it('not of any and of has finds exactly the other resources', async () => {
    await enter(app)
    const her = { name: 'owner', op: 'has', val: named('Ada Lovelace') }
    assert.deepEqual(await finds(app, '/computers', [{ not: her }]), ['Mark', 'Orphan'])
    const male = { name: 'owner', op: 'has', val: { name: 'birth_date', op: 'gt', val: null } }
    assert.deepEqual(await finds(app, '/computers', [{ not: male }]), [
      'ENIAC',
      'Zuse_Z3',
      'Mark',
      'Orphan',
    ])
    const none = [{ not: { name: 'computers', op: 'any' } }]
    assert.deepEqual(await finds(app, '/persons', none), ['Alan', '100%_\\'])
  })

  for (const [path, name, some, none] of [
    ['/persons', 'computers', ['Ada', 'Grace'], ['Alan', '100%_\\']],
    ['/computers', 'owner', ['ENIAC', 'Zuse_Z3', 'Mark'], ['Orphan']],
  ] as const)
    it(`eq, ne, is_ and isnot with null on ${name} find resources without and with related ones`, async () => {
      await enter(app)
      for (const [op, expected] of [
        ['eq', none],
        ['is_', none],
        ['ne', some],
        ['isnot', some],
      ] as const) {
        assert.deepEqual(
          await finds(app, path, [{ name, op, val: null }]),
          expected,
          `${name} ${op}`,
        )
      }
    })

  it('follow a relationship and its inverse several times', async () => {
    await enter(app)
    const sibling = { name: 'computers', op: 'any', val: serial('eq', 'ENIAC') }
    const filter = [{ name: 'owner', op: 'has', val: sibling }]
    assert.deepEqual(await finds(app, '/computers', filter), ['ENIAC', 'Zuse_Z3'])
    const deep = [
      {
        name: 'computers',
        op: 'any',
        val: {
          not: {
            name: 'owner',
            op: 'has',
            val: { name: 'computers', op: 'any', val: serial('eq', 'Mark I') },
          },
        },
      },
    ]
    assert.deepEqual(await finds(app, '/persons', deep), ['Ada'])
  })

  it('given ten nested relationships, then they are accepted; too many for the database are 400, not 500', async () => {
    await enter(app)
    const around = (times: number) => {
      const open = '{"name":"computers","op":"any","val":{"name":"owner","op":"has","val":'
      const inner = '{"name":"name","op":"startswith","val":"G"}'
      return `[${open.repeat(times)}${inner}${'}}'.repeat(times)}]`
    }
    const path = (times: number) => `${'computers__owner__'.repeat(times)}name`
    assert.deepEqual(await finds(app, '/persons', around(10)), ['Grace'])
    const short = { [`filter[${path(10)}]`]: 'Grace Hopper' }
    assert.deepEqual(await found(app, '/persons', short), ['Grace'])
    for (const times of [15, 25, 49, 60]) {
      for (const query of [
        { filter: around(times) },
        { [`filter[${path(times)}]`]: 'Grace Hopper' },
      ]) {
        const response = await app.get('/persons', query)
        if (response.status === 200) assert.deepEqual(labels(response), ['Grace'])
        else assertErrors(response, 400, { status: 400, at: Object.keys(query)[0] ?? 'filter' })
      }
    }
  })

  it('relationship__field is the same as any or has with a filter of the field, for every operator', async () => {
    await enter(app)
    // biome-ignore format: a table, one operator a row
    const values: readonly (readonly [op: string, val: unknown])[] = [
      ['eq', 'ENIAC'], ['ne', 'ENIAC'], ['is_', 'ENIAC'], ['isnot', 'ENIAC'], ['is_', null], ['isnot', null],
      ['gt', 'F'], ['ge', 'F'], ['lt', 'F'], ['le', 'F'], ['between', ['A', 'N']],
      ['in_', ['ENIAC', 'Mark I']], ['in_', []], ['notin_', ['ENIAC']], ['notin_', []],
      ['like', '_'], ['notlike', '_'], ['ilike', 'mark'], ['notilike', 'mark'],
      ['startswith', 'Z'], ['endswith', 'I'], ['match', 'mark'],
    ]
    for (const [op, val] of values) {
      const long = await finds(app, '/persons', [
        { name: 'computers', op: 'any', val: serial(op, val) },
      ])
      const short = await finds(app, '/persons', [{ name: 'computers__serial', op, val }])
      assert.deepEqual(short, long, `${op} ${JSON.stringify(val)}`)
    }
  })

  it('relationship__relationship__field follows two relationships', async () => {
    await enter(app)
    const filter = [{ name: 'owner__computers__serial', op: 'eq', val: 'ENIAC' }]
    assert.deepEqual(await finds(app, '/computers', filter), ['ENIAC', 'Zuse_Z3'])
    const around = [{ name: 'computers__owner__name', op: 'startswith', val: 'G' }]
    assert.deepEqual(await finds(app, '/persons', around), ['Grace'])
    const some = [{ name: 'owner__computers', op: 'any', val: serial('eq', 'Mark I') }]
    assert.deepEqual(await finds(app, '/computers', some), ['Mark'])
    const lonely = [{ name: 'owner__computers', op: 'ne', val: null }]
    assert.deepEqual(await finds(app, '/computers', lonely), ['ENIAC', 'Zuse_Z3', 'Mark'])
  })

  it('relationship__id is the id of the related resource', async () => {
    const { ada, mark } = await enter(app)
    const hers = [{ name: 'owner__id', op: 'in_', val: [ada.id] }]
    assert.deepEqual(await finds(app, '/computers', hers), ['ENIAC', 'Zuse_Z3'])
    assert.deepEqual(
      await finds(app, '/persons', [{ name: 'computers__id', op: 'eq', val: mark.id }]),
      ['Grace'],
    )
  })
})

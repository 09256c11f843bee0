import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { defineModel, resource } from 'lapidary'
import { addComputer, addPerson, events, office } from './office.ts'
import { batchType, describeBatches, summarize } from './send-batch.ts'

describeBatches('Several writes in one request', office, (app) => {
  beforeEach(() => {
    events.length = 0
  })
  const names = async () =>
    (await app.rows('select name from person order by id')).map(({ name }) => name)

  it('creates a resource that a later operation names by its local id', async () => {
    const response = await app.batch([
      addPerson('Eve', 'p'),
      addComputer('c', { type: 'person', lid: 'p' }),
    ])
    const [person, computer] = response.results
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), batchType)
    assert.deepEqual(response.document.jsonapi, {
      version: '1.1',
      ext: ['https://jsonapi.org/ext/atomic'],
    })
    const { body } = {
      body: (await app.send('GET', `/computers/${computer?.data?.id}?include=owner`)).document,
    }
    assert.deepEqual(body.data?.relationships?.owner?.data, {
      type: 'person',
      id: person?.data?.id,
    })
  })

  it('runs all hooks, and those after the commit in order', async () => {
    await app.batch([addPerson('Eve'), { op: 'remove', ref: { type: 'person', id: '2' } }])
    assert.deepEqual(events, ['created Eve', 'committed create', 'committed delete'])
  })

  it('writes nothing if a later operation fails, and names that operation', async () => {
    const response = await app.batch([
      addPerson('Eve'),
      { op: 'remove', ref: { type: 'computer', id: '99' } },
      addPerson('Max'),
    ])
    assert.equal(response.status, 404)
    assert.deepEqual(summarize(response), ['404 not_found /atomic:operations/1/ref'])
    assert.deepEqual(await names(), ['Ada', 'Bob'])
    assert.deepEqual(events, ['created Eve'])
  })

  it('writes nothing if a later operation fails, also of types without hooks', async () => {
    const operations = [addComputer('c'), { op: 'remove', ref: { type: 'computer', id: '1' } }]
    const failing = { op: 'remove', ref: { type: 'computer', id: '99' } }
    assert.equal((await app.batch([...operations, failing])).status, 404)
    const serials = await app.rows('select serial from computer order by id')
    assert.deepEqual(serials, [{ serial: 'a' }, { serial: 'b' }])
    assert.equal((await app.batch(operations)).status, 200)
  })

  it('reports a violated constraint with the pointer to the operation', async () => {
    const withNote = (name: string) =>
      addPerson(name, undefined, { attributes: { name, note: 'x' } })
    const response = await app.batch([withNote('Eve'), withNote('Max')])
    assert.deepEqual(summarize(response), [
      '409 constraint_conflict /atomic:operations/1/data/attributes/note',
    ])
    assert.deepEqual(await names(), ['Ada', 'Bob'])
  })

  it('reports the errors of all operations at once, before it runs any', async () => {
    const response = await app.batch([
      { op: 'add', data: { type: 'person', attributes: { nme: 'Eve' } } },
      { op: 'frob' },
      addComputer('c', { type: 'person', lid: 'nobody' }),
      {
        op: 'update',
        ref: { type: 'person', id: '1' },
        data: { type: 'person', id: '1', attributes: { name: 5 } },
      },
      { op: 'remove', href: '/nowhere' },
    ])
    assert.deepEqual(summarize(response), [
      '422 unknown_field /atomic:operations/0/data/attributes/nme',
      '422 missing_value /atomic:operations/0/data/attributes',
      '400 invalid_operation /atomic:operations/1/op',
      '400 unknown_lid /atomic:operations/2/data/relationships/owner/data/lid',
      '422 invalid_value /atomic:operations/3/data/attributes/name',
      '404 route_not_found /atomic:operations/4/href',
    ])
    assert.equal(response.status, 400)
    assert.deepEqual(events, [])
  })

  const missing = (lid: string) => ({ type: 'person', lid })
  const localIds: readonly [what: string, operations: object[], expected: string][] = [
    [
      'comes before its operation',
      [addComputer('c', missing('p')), addPerson('Eve', 'p')],
      '400 unknown_lid /atomic:operations/0/data/relationships/owner/data/lid',
    ],
    [
      'is introduced twice',
      [addPerson('Eve', 'p'), addPerson('Max', 'p')],
      '400 repeated_lid /atomic:operations/1/data/lid',
    ],
    [
      'belongs to another type',
      [addPerson('Eve', 'p'), { op: 'remove', ref: { type: 'computer', lid: 'p' } }],
      '400 unknown_lid /atomic:operations/1/ref/lid',
    ],
    [
      'is no text',
      [addComputer('c', { type: 'person', lid: 5 })],
      '400 invalid_operation /atomic:operations/0/data/relationships/owner/data/lid',
    ],
    ['is empty', [addPerson('Eve', '')], '400 invalid_operation /atomic:operations/0/data/lid'],
    [
      'has 65 characters',
      [addPerson('Eve', 'x'.repeat(65))],
      '400 invalid_operation /atomic:operations/0/data/lid',
    ],
    [
      'is that of an update',
      [{ op: 'update', data: { type: 'person', lid: 'q', attributes: {} } }],
      '400 unknown_lid /atomic:operations/0/data/lid',
    ],
  ]
  for (const [what, operations, expected] of localIds)
    it(`rejects a local id that ${what}`, async () => {
      assert.deepEqual(summarize(await app.batch(operations as never)), [expected])
    })

  it('takes the same local id for two types', async () => {
    const response = await app.batch([
      addPerson('Eve', 'x'),
      { op: 'add', data: { type: 'team', lid: 'x', attributes: { name: 'blue' } } },
      {
        op: 'update',
        ref: { type: 'team', lid: 'x', relationship: 'people' },
        data: [{ type: 'person', lid: 'x' }],
      },
    ])
    assert.equal(response.status, 200, JSON.stringify(response.errors))
    const rows = await app.rows('select name from person join membership on person_id = person.id')
    assert.deepEqual(rows, [{ name: 'Eve' }])
  })

  it('inserts a resource that references itself, and then updates it', async () => {
    const self = { relationships: { boss: { data: { type: 'person', lid: 'p' } } } }
    const { results } = await app.batch([addPerson('Eve', 'p', self)])
    const [{ boss_id, id } = {}] = await app.rows(
      `select boss_id, id from person where name = 'Eve'`,
    )
    assert.equal(boss_id, id)
    assert.equal(results[0]?.data?.attributes?.name, 'Eve')
  })

  it('refuses a resource that references itself if that must not be null', async () => {
    const parent = { data: { type: 'folder', lid: 'x' } }
    const response = await app.batch([
      { op: 'add', data: { type: 'folder', lid: 'x', relationships: { parent } } },
    ])
    assert.deepEqual(summarize(response), [
      '422 invalid_value /atomic:operations/0/data/relationships/parent/data',
    ])
  })

  it('takes an id and a local id where clients may choose ids', async () => {
    const id = '11111111-1111-4111-8111-111111111111'
    const author = { data: { type: 'person', id: '1' } }
    const response = await app.batch([
      { op: 'add', data: { type: 'ticket', id, lid: 't', relationships: { author } } },
      {
        op: 'update',
        ref: { type: 'ticket', lid: 't' },
        data: { type: 'ticket', lid: 't', attributes: { title: 'x' } },
      },
    ])
    assert.deepEqual(
      response.results.map(({ data }) => data?.id),
      [id, id],
    )
  })

  it('checks the condition of an operation, and names it', async () => {
    const update = (ifMatch?: string) => ({
      op: 'update',
      ref: { type: 'order', id: '1' },
      ...(ifMatch !== undefined && { meta: { ifMatch } }),
      data: { type: 'order', id: '1', attributes: { status: 'paid' } },
    })
    assert.deepEqual(summarize(await app.batch([update()])), [
      '428 condition_required /atomic:operations/0',
    ])
    const failed = await app.batch([addPerson('Eve'), update('other')])
    assert.deepEqual(summarize(failed), ['412 version_conflict /atomic:operations/1/meta/ifMatch'])
    const version = failed.errors[0]?.meta?.version ?? ''
    const response = await app.batch([update(version)])
    assert.equal(response.results[0]?.data?.attributes?.status, 'paid')
    assert.notEqual(response.results[0]?.data?.meta?.version, version)
    assert.deepEqual(summarize(await app.batch([update('a"b')])), [
      '400 invalid_operation /atomic:operations/0/meta/ifMatch',
    ])
  })

  it('calls actions, also of a resource that it has created', async () => {
    const [
      ,
      {
        results: [created],
      },
    ] = [0, await app.batch([addPerson('Eve', 'p')])]
    const response = await app.batch([
      {
        op: 'update',
        href: `/persons/${created?.data?.id}/actions/rename`,
        data: { meta: { to: 'Eva' } },
      },
      { op: 'update', href: '/persons/actions/count' },
    ])
    assert.equal(response.results[0]?.data?.attributes?.name, 'Eva')
    assert.deepEqual(response.results[1], { meta: { persons: '3' } })
    const wrong = await app.batch([
      { op: 'update', href: '/persons/1/actions/rename', data: { meta: { to: 5 } } },
    ])
    assert.deepEqual(summarize(wrong), ['422 invalid_value /atomic:operations/0/data/meta/to'])
  })

  it('restricts the results to the requested fields', async () => {
    const response = await app.send(
      'POST',
      '/operations?fields[person]=name',
      { 'atomic:operations': [addPerson('Eve')] },
      { 'content-type': batchType },
    )
    assert.deepEqual(Object.keys(response.results[0]?.data ?? {}), [
      'type',
      'id',
      'attributes',
      'links',
    ])
    const other = await app.send(
      'POST',
      '/operations?include=boss',
      { 'atomic:operations': [addPerson('Eve')] },
      { 'content-type': batchType },
    )
    assert.deepEqual(
      other.errors.map(({ code, source }) => [code, source?.parameter]),
      [['unknown_parameter', 'include']],
    )
  })

  const invalid: readonly [operation: unknown, expected: string][] = [
    [5, '400 invalid_operation /atomic:operations/0'],
    [{}, '400 invalid_operation /atomic:operations/0'],
    [{ op: 'add' }, '400 invalid_operation /atomic:operations/0'],
    [{ op: 'remove' }, '400 invalid_operation /atomic:operations/0'],
    [
      { op: 'remove', ref: { type: 'person', id: '1' }, data: null },
      '400 invalid_operation /atomic:operations/0/data',
    ],
    [
      { op: 'remove', ref: { type: 'person', id: '1' }, href: '/persons/1' },
      '400 invalid_operation /atomic:operations/0',
    ],
    [{ op: 'remove', ref: { type: 'person' } }, '400 invalid_operation /atomic:operations/0/ref'],
    [
      { op: 'remove', ref: { type: 'person', id: '1', lid: 'x' } },
      '400 invalid_operation /atomic:operations/0/ref',
    ],
    [{ op: 'remove', ref: { id: '1' } }, '400 invalid_operation /atomic:operations/0/ref'],
    [
      { op: 'remove', ref: { type: 'person', id: '1' }, meta: { ifNoneMatch: '*' } },
      '400 invalid_operation /atomic:operations/0/meta/ifNoneMatch',
    ],
    [
      { op: 'remove', ref: { type: 'person', id: '1' }, meta: { 'If-Match': '*' } },
      '400 invalid_operation /atomic:operations/0/meta/If-Match',
    ],
    [
      { op: 'remove', ref: { type: 'person', id: '1' }, meta: { ifMacth: '*' } },
      '400 invalid_operation /atomic:operations/0/meta/ifMacth',
    ],
    [
      { op: 'remove', ref: { type: 'person', id: 1 } },
      '400 invalid_operation /atomic:operations/0/ref/id',
    ],
    [
      { op: 'remove', ref: { type: 'robot', id: '1' } },
      '404 route_not_found /atomic:operations/0/ref/type',
    ],
    [
      { op: 'remove', ref: { type: 'person', id: '1', relationship: 'x' }, data: [] },
      '404 route_not_found /atomic:operations/0/ref/relationship',
    ],
    [{ op: 'remove', ref: { type: 'person', id: 'x' } }, '404 not_found /atomic:operations/0/ref'],
    [
      { op: 'remove', href: 'http://other.example/persons/1' },
      '404 route_not_found /atomic:operations/0/href',
    ],
    [{ op: 'remove', href: '/persons/1?x=1' }, '400 invalid_operation /atomic:operations/0/href'],
    [
      { op: 'remove', href: '/persons/%zz', meta: { ifMatch: '*' } },
      '400 invalid_request /atomic:operations/0/href',
    ],
    [{ op: 'remove', href: '/persons' }, '400 invalid_operation /atomic:operations/0/href'],
    [{ op: 'update', href: '/', data: {} }, '400 invalid_operation /atomic:operations/0/href'],
    [{ op: 'update', data: { type: 'person' } }, '400 invalid_operation /atomic:operations/0/data'],
    [
      { op: 'add', ref: { type: 'person', id: '1' }, data: {} },
      '400 invalid_operation /atomic:operations/0/ref',
    ],
    [{ op: 'add', data: { type: 'rate', attributes: {} } }, '403 read_only /atomic:operations/0'],
    [{ op: 'add', data: [] }, '400 invalid_operation /atomic:operations/0/data'],
    [{ op: 'add', href: '/persons', data: [] }, '400 invalid_document /atomic:operations/0/data'],
    [
      { op: 'add', href: '/persons', data: { type: 'computer' } },
      '409 type_conflict /atomic:operations/0/data/type',
    ],
  ]
  for (const [operation, expected] of invalid)
    it(`rejects ${JSON.stringify(operation)}`, async () => {
      assert.deepEqual(summarize(await app.batch([operation as never])), [expected])
    })

  it('ignores what meta has besides a condition', async () => {
    const meta = { iframe: true, note: 'x' }
    const ref = { type: 'person', id: '1' }
    assert.equal((await app.batch([{ op: 'remove', ref, meta }])).status, 200)
  })

  const both = { type: 'person', id: '1', lid: 'p' }
  const twice: readonly [operation: object, pointer: string][] = [
    [{ op: 'update', data: { ...both, attributes: { name: 'Ida' } } }, '/data/lid'],
    [
      { op: 'update', ref: { type: 'person', lid: 'p' }, data: { ...both, attributes: {} } },
      '/data/lid',
    ],
    [
      { op: 'update', ref: { type: 'person', id: '2', relationship: 'boss' }, data: both },
      '/data/lid',
    ],
    ...['add', 'update', 'remove'].map((op): [object, string] => [
      { op, href: '/teams/1/relationships/people', data: [{ type: 'person', lid: 'p' }, both] },
      '/data/1/lid',
    ]),
    [addComputer('c', both), '/data/relationships/owner/data/lid'],
    [
      { op: 'update', data: { type: 'person', id: '2', relationships: { boss: { data: both } } } },
      '/data/relationships/boss/data/lid',
    ],
  ]
  for (const [operation, pointer] of twice)
    it(`refuses two names of one resource: ${JSON.stringify(operation)}`, async () => {
      const response = await app.batch([addPerson('Eve', 'p'), { ...operation }])
      assert.deepEqual(summarize(response), [`400 invalid_document /atomic:operations/1${pointer}`])
      assert.deepEqual(await names(), ['Ada', 'Bob'])
    })

  it('says all that a reference lacks', async () => {
    const { errors } = await app.batch([{ op: 'remove', ref: {} }])
    assert.deepEqual(
      errors.map(({ detail }) => detail),
      [
        'ref must have the member "type".',
        'ref must have the member "id", or "lid" for a resource of this request.',
      ],
    )
  })

  it('says that a document of a single write has no operations', async () => {
    const headers = { 'content-type': batchType }
    const body = { data: { type: 'person', attributes: { name: 'Eve' } } }
    const response = await app.send('POST', '/operations', body, headers)
    assert.deepEqual(
      response.errors.map(({ code, detail }) => [code, detail]),
      [
        [
          'invalid_document',
          'The document must have the member "atomic:operations", an array; it has "data".',
        ],
      ],
    )
  })

  const detailsOf = async (operations: Parameters<typeof app.batch>[0]) =>
    (await app.batch(operations)).errors.map(({ code, detail }) => [code, detail])

  it('names a new resource that a later operation misses by its local id: the id is rolled back', async () => {
    const ref = { type: 'person', lid: 'p' }
    const removed = [addPerson('Eve', 'p'), { op: 'remove', ref }]
    const detail = 'There is no resource of type person with lid "p".'
    const update = { op: 'update', data: { type: 'person', lid: 'p', attributes: { note: 'x' } } }
    for (const later of [{ op: 'remove', ref }, update])
      assert.deepEqual(await detailsOf([...removed, later]), [['not_found', detail]])
    assert.deepEqual(await detailsOf([...removed, addComputer('c', ref)]), [
      ['related_not_found', detail],
    ])
    const people = { type: 'team', id: '1', relationship: 'people' }
    assert.deepEqual(await detailsOf([...removed, { op: 'add', ref: people, data: [ref] }]), [
      ['related_not_found', detail],
    ])
    assert.deepEqual(await detailsOf([{ op: 'remove', ref: { type: 'person', id: '99' } }]), [
      ['not_found', 'There is no resource of type person with id "99".'],
    ])
  })

  it('accepts at most so many operations as the model allows', async () => {
    const operations = Array.from({ length: 21 }, () => addPerson('Eve'))
    assert.deepEqual(summarize(await app.batch(operations)), [
      '400 too_many_operations /atomic:operations',
    ])
    assert.equal((await app.batch(operations.slice(1))).results.length, 20)
  })

  it('has one method, and negotiates its media type', async () => {
    assert.equal((await app.send('GET', '/operations')).status, 405)
    const body = { 'atomic:operations': [addPerson('Eve')] }
    const send = async (type: string, accept?: string) => {
      const headers = { 'content-type': type, ...(accept !== undefined && { accept }) }
      return (await app.send('POST', '/operations', body, headers)).status
    }
    const plain = 'application/vnd.api+json'
    assert.equal(await send(plain), 415)
    assert.equal(await send(`${plain};charset=utf-8`), 415)
    assert.equal(await send(`${batchType};charset=utf-8`), 415)
    assert.equal(await send(`${plain};ext="https://other.example"`), 415)
    assert.equal(
      await send(`${plain};ext="https://jsonapi.org/ext/atomic https://other.example"`),
      415,
    )
    assert.equal(await send(`${batchType};profile="https://other.example"`), 200)
    assert.equal(await send(batchType, plain), 200)
    assert.equal(await send(batchType, '*/*'), 200)
    assert.equal(await send(batchType, `${batchType};q=0.5`), 200)
    assert.equal(await send(batchType, `${plain};ext="https://other.example"`), 406)
    assert.equal(await send(batchType, `${plain};ext="https://other.example", ${plain}`), 200)
    assert.equal(await send(batchType, `${plain};charset=utf-8`), 406)
    assert.equal(await send(batchType, `${plain};charset=utf-8, */*`), 406)
    const { errors } = await app.send('POST', '/operations', body)
    assert.ok(errors[0]?.detail.endsWith(`; send Content-Type: ${batchType}`))
  })
})

it('refuses a resource type with the path of the batch', () => {
  const operation = resource('operation', { path: '/operations', table: 'operation', fields: {} })
  assert.throws(() => defineModel([operation], { atomic: true }), /operation.path: "\/operations"/)
  defineModel([operation])
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, idempotencyTable, resource, text } from 'lapidary'
import { describeWrites, describeWritesAt } from '../../cli/doctor/describe-writes.ts'
import { type BatchSuite, describeBatches } from '../engine/batch/send-batch.ts'
import { listen } from '../telemetry/listen.ts'

const fields = { name: attribute(text) }
const plain = resource('plain', { path: '/plain', table: 'plain', fields })
const counted = resource('counted', {
  ...{ path: '/counted', table: 'counted', fields },
  version: 'row_version',
  conditions: 'required',
})
const keyed = resource('keyed', {
  ...{ path: '/keyed', table: 'keyed', fields },
  conditions: 'required',
  idempotency: 'required',
})
const hooked = resource('hooked', {
  ...{ path: '/hooked', table: 'hooked', fields },
  hooks: { afterCreate: () => {} },
})
const model = defineModel([plain, counted, keyed, hooked], {
  atomic: { maxOperations: 20 },
  principal: () => 'everybody',
})

const suite: BatchSuite = {
  model,
  tables: ({ newId }) => `
    create table plain (id ${newId}, name text);
    create table counted (id ${newId}, name text, row_version integer not null default 1);
    create table keyed (id ${newId}, name text);
    create table hooked (id ${newId}, name text);
    ${idempotencyTable.slice(0, idempotencyTable.indexOf('create index'))}`,
  fill: `insert into counted (name) values ('a')`,
}

describeBatches('What doctor says of writes', suite, (app) => {
  const describe = async () => describeWrites(model, await app.store.catalog())
  /** Executes what a warning says after "to fix it". */
  const mend = (warning = '') => app.execute(warning.slice(warning.indexOf('to fix it: ') + 11))

  it('is the source of versions, what writes need, and which creates are one insert', async () => {
    const { lines } = await describe()
    assert.deepEqual(lines, [
      'counted: the version is the column "row_version", updates and deletions need If-Match',
      'keyed: the version is the content, updates and deletions need If-Match, writes need Idempotency-Key',
      'operations: at most 20 in one transaction, a statement or a few for each; creates of one type in a row are one insert, except of hooked',
    ])
    const batch = (type: string) =>
      Array.from({ length: 20 }, () => ({ op: 'add', data: { type, attributes: { name: 'x' } } }))
    for (const [type, isJoint] of [
      ['plain', true],
      ['counted', true],
      ['keyed', true],
      ['hooked', false],
    ] as const) {
      const { statements } = await listen(() => app.batch(batch(type), { 'idempotency-key': type }))
      const inserts = statements.filter(({ statement }) =>
        statement.sql.startsWith(`insert into "${type}"`),
      )
      assert.equal(inserts.length < 20, isJoint, `${type}: ${inserts.length} inserts`)
    }
  })

  it('is also what explain says of the writes to a path', () => {
    const counted =
      'counted: the version is the column "row_version", updates and deletions need If-Match'
    for (const [url, prefix, expected] of [
      ['/counted', '', [counted]],
      ['http://x/api/counted/1?include=x', '/api', [counted]],
      ['/plain', '', []],
      ['/', '', []],
    ] as const)
      assert.deepEqual(describeWritesAt(model, url, prefix), expected)
  })

  it('is nothing of an API that declares nothing of them, and that keys are refused without a table', async () => {
    const catalog = await app.store.catalog()
    assert.deepEqual(describeWrites(defineModel([plain]), catalog).lines, [])
    const tables = catalog.tables.filter(({ name }) => name !== 'lapidary_idempotency')
    const { lines } = describeWrites(defineModel([counted]), { ...catalog, tables })
    assert.match(lines.at(-1) ?? '', /^Idempotency-Key: refused, .* lapidary idempotency sql/)
  })

  it('warns of a version that other programs do not change, and of keys without an index, with SQL that mends it', async () => {
    const { warnings } = await describe()
    assert.equal(warnings.length, 2)
    assert.match(warnings[0] ?? '', /^counted\.version: no trigger increments "row_version"/)
    assert.match(warnings[1] ?? '', /^no index begins with the column "created_at"/)
    for (const warning of warnings) await mend(warning)
    await app.execute(`update counted set name = 'b'`)
    const versions = await app.rows('select row_version from counted')
    assert.deepEqual(
      versions.map(({ row_version }) => Number(row_version)),
      [2],
    )
    // The update of the engine counts once.
    const [tag] = ((await app.send('GET', '/counted/1')).headers.get('etag') ?? '').split('.')
    const data = { type: 'counted', id: '1', attributes: { name: 'c' } }
    const { status } = await app.send('PATCH', '/counted/1', { data }, { 'if-match': `${tag}"` })
    assert.equal(status, 200)
    const written = await app.rows('select row_version from counted')
    assert.deepEqual(
      written.map(({ row_version }) => Number(row_version)),
      [3],
    )
  })
})

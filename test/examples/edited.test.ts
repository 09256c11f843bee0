import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { resources } from '../../examples/chinook/resources/index.ts'
import { model, startServer } from '../../examples/chinook/start-server.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { Cleanup, type Scope } from '../cleanup.ts'
import { connect } from '../client.ts'
import { type Database, databases } from '../databases.ts'
import { execute, filled } from '../filled.ts'
import { long, longOnOthers } from '../long-tests.ts'
import { parseResponse } from '../test-response.ts'
import { createMusicStore, type Get, type MusicStore, serve } from './music-store.ts'
import { verifyRelationships } from './verify-relationships.ts'

/** Starts the example on a new database. */
async function startExample(test: Scope, database: Database) {
  const url = await filled(test, database, '')
  const server = await startServer(url, 0, 'silent')
  const client = connect(server.url)
  test.after(async () => {
    client.close()
    await server.close()
  })
  const call = async (method: string, path: string, data?: unknown) => {
    const body = data === undefined ? {} : { body: { data } }
    const exchange = await client.send(method, path, body)
    assertModelConforms(model, exchange)
    return parseResponse(exchange)
  }
  return { url, call }
}

const linkTo = (type: string, id: string) => ({ data: { type, id } })

/** Expressions: the collection, the attribute, and SQL for the expected values. */
const expressions = [
  [
    '/artists',
    'albumCount',
    'select "ArtistId" as id, (select count(*) from "Album" a where a."ArtistId" = b."ArtistId") as value from "Artist" b',
  ],
  [
    '/albums',
    'trackCount',
    'select "AlbumId" as id, count(*) as value from "Track" group by "AlbumId"',
  ],
  [
    '/albums',
    'milliseconds',
    'select "AlbumId" as id, sum("Milliseconds") as value from "Track" group by "AlbumId"',
  ],
  ['/invoices', 'total', 'select "InvoiceId" as id, "Total" as value from "Invoice"'],
  [
    '/playlists',
    'trackCount',
    'select "PlaylistId" as id, (select count(*) from "PlaylistTrack" t where t."PlaylistId" = p."PlaylistId") as value from "Playlist" p',
  ],
] as const

for (const database of databases) {
  describe(
    `The music store with edited declarations · ${database.name}`,
    longOnOthers(database.dialect),
    () => {
      const cleanup = new Cleanup()
      /** Served, and only read. */
      let store: MusicStore
      let get: Get
      /** Changed by the tests, each of which creates or updates rows of its own. */
      let example: Awaited<ReturnType<typeof startExample>>
      before(async () => {
        store = await createMusicStore(cleanup, database)
        get = await serve(cleanup, model, store.url)
        example = await startExample(cleanup, database)
      })
      after(() => cleanup.run())

      it('serves both directions of every relationship', long, async () => {
        const scopes = { video: '"MediaTypeId" = 5' }
        const counts = await verifyRelationships({ resources, get, runSql: store.runSql, scopes })
        assert.equal(Object.keys(counts).length, 24)
        assert.partialDeepStrictEqual(counts, {
          'video.season': 207,
          'staff.reports': 7,
          'employee.manager': 7,
          'customer.supportAgent': 59,
          'playlist.tracks': 8715,
        })
      })

      for (const [path, name, sql] of expressions) {
        it(`computes ${name} of ${path} as SQL does, and sorts by it`, async () => {
          const { many } = await get(path, { 'page[size]': '0', sort: name })
          const actual = many.map(({ id, attributes }) => [id, Number(attributes?.[name])])
          const expected = (await store.runSql(sql)).map(({ id, value }) => [
            String(id),
            Number(value),
          ])
          const byId = ([one]: readonly unknown[], [other]: readonly unknown[]) =>
            Number(one) - Number(other)
          assert.deepEqual(actual.toSorted(byId), expected.toSorted(byId))
          const values = actual.map(([, value]) => Number(value))
          assert.deepEqual(
            values,
            values.toSorted((one, other) => one - other),
          )
        })
      }

      it('does not expose private columns, and rejects writes to read-only types', async () => {
        const { call } = example
        for (const name of ['birthDate', 'address', 'BirthDate']) {
          assert.equal((await call('GET', `/employees?filter[${name}]=1962-01-02`)).status, 400)
        }
        assert.deepEqual(Object.keys((await call('GET', '/employees/1')).one.attributes ?? {}), [
          'name',
          'title',
        ])
        const customer = await call('GET', '/customers/1')
        assert.doesNotMatch(customer.text, /@|Storgata|555/)
        assert.equal((await call('GET', '/customers?filter[email]=x')).status, 400)
        assert.equal(
          (await call('PATCH', '/employees/1', { type: 'employee', id: '1', attributes: {} }))
            .status,
          403,
        )
        assert.equal((await call('POST', '/genres', { type: 'genre' })).status, 403)
      })

      it('given a new video, stores its media type; given another track, answers 404 under /videos', async () => {
        const { url, call } = example
        const attributes = { title: 'Pilot', milliseconds: 1500000, price: '1.99' }
        const created = await call('POST', '/videos', { type: 'video', attributes })
        assert.equal(created.status, 201, created.text)
        const [stored] = await execute(
          url,
          `select "MediaTypeId" as media_type from "Track" where "TrackId" = ${created.one.id}`,
        )
        assert.equal(stored?.media_type, 5)
        assert.equal((await call('GET', '/videos/1')).status, 404)
        assert.equal((await call('DELETE', '/videos/1')).status, 404)
        assert.equal((await call('GET', '/tracks/1')).status, 200)
      })

      it('sets the price of an invoice line, rejects lines without track or quantity, and keeps the invoice date', async () => {
        const { call } = example
        const customer = { customer: linkTo('customer', '1') }
        const invoice = await call('POST', '/invoices', {
          type: 'invoice',
          relationships: customer,
        })
        assert.equal(invoice.status, 201, invoice.text)
        const { id } = invoice.one
        const date = String(invoice.one.attributes?.date)
        assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000, date)
        const addLine = (quantity: number, relationships: object) =>
          call('POST', `/invoices/${id}/lines`, {
            type: 'invoiceLine',
            attributes: { quantity, unitPrice: '0.01' },
            relationships,
          })
        const sold = await addLine(3, { track: linkTo('track', '382') })
        assert.equal(sold.one.attributes?.unitPrice, '1.99', sold.text)
        assert.equal((await call('GET', `/invoices/${id}`)).one.attributes?.total, '5.97')
        const withoutTrack = await addLine(1, {})
        assert.deepEqual([withoutTrack.status, withoutTrack.error.code], [422, 'no_track'])
        const withoutQuantity = await addLine(0, { track: linkTo('track', '382') })
        assert.deepEqual(withoutQuantity.error.detail, 'quantity: must be at least 1; it is 0.')
        const changedDate = await call('PATCH', `/invoices/${id}`, {
          type: 'invoice',
          id,
          attributes: { date: '2020-01-01T00:00:00Z' },
        })
        assert.deepEqual(changedDate.error.source, { pointer: '/data/attributes/date' })
      })

      it('rejects circular management and a hire date before the birth date', async () => {
        const { call } = example
        const setManager = (id: string) =>
          call('PATCH', '/staff/2/relationships/manager', { type: 'staff', id })
        for (const id of ['2', '3', '4']) {
          const rejected = await setManager(id)
          assert.deepEqual([rejected.status, rejected.error.code], [422, 'own_manager'])
        }
        assert.equal((await call('GET', '/staff/2/manager')).one.id, '1')
        assert.equal((await setManager('6')).status, 200)
        const cycle = await call('PATCH', '/staff/3/relationships/reports', [
          { type: 'staff', id: '6' },
        ])
        assert.equal(cycle.status, 422)
        const setHireDate = (hireDate: string | null) =>
          call('PATCH', '/staff/1', { type: 'staff', id: '1', attributes: { hireDate } })
        assert.deepEqual((await setHireDate('1961-12-31')).error.source, {
          pointer: '/data/attributes/hireDate',
        })
        assert.equal((await setHireDate('1980-01-01')).status, 200)
        assert.equal((await setHireDate(null)).status, 200)
      })
    },
  )
}

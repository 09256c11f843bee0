import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { resources } from '../../examples/chinook/resources/index.ts'
import { model, startStore } from '../../examples/chinook/start.ts'
import { readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { connect } from '../client.ts'
import type { Database } from '../databases.ts'
import { execute, filled, lasting } from '../filled.ts'
import { musicStore, serve } from './serving.ts'
import { walkAll } from './walk.ts'

/** The store with a way to write to it. */
async function open(test: TestContext, database: Database) {
  const url = await filled(test, database, '')
  const store = await startStore(url, 0, 'silent')
  const client = connect(store.url)
  test.after(async () => {
    client.close()
    await store.close()
  })
  const call = async (method: string, target: string, data?: unknown) => {
    const body = data === undefined ? {} : { body: { data } }
    const exchange = await client.send(method, target, body)
    check(exchange)
    return readAnswer(exchange)
  }
  return { url, call }
}

const to = (type: string, id: string) => ({ data: { type, id } })

for (const database of lasting) {
  describe(`The music store as it was shaped · ${database.name}`, () => {
    it('serves every relationship both ways', async (test) => {
      const { url, rows } = await musicStore(test, database)
      const ask = await serve(test, model, url)
      const conditions = { video: '"MediaTypeId" = 5' }
      const found = await walkAll({ resources, ask, rows, conditions })
      assert.equal(Object.keys(found).length, 24)
      assert.partialDeepStrictEqual(found, {
        'video.season': 207,
        'staff.reports': 7,
        'employee.manager': 7,
        'customer.supportAgent': 59,
        'playlist.tracks': 8715,
      })
    })

    it('computes what the tables add up to', async (test) => {
      const { url, rows } = await musicStore(test, database)
      const ask = await serve(test, model, url)
      const cases = [
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
      for (const [target, name, sql] of cases) {
        const { many } = await ask(target, { 'page[size]': '0', sort: name })
        const told = many.map(({ id, attributes }) => [id, Number(attributes?.[name])])
        const stored = (await rows(sql)).map(({ id, value }) => [String(id), Number(value)])
        const byId = ([one]: readonly unknown[], [other]: readonly unknown[]) =>
          Number(one) - Number(other)
        assert.deepEqual(told.toSorted(byId), stored.toSorted(byId), `${target} ${name}`)
        const values = told.map(([, value]) => Number(value))
        assert.deepEqual(
          values,
          values.toSorted((one, other) => one - other),
          `${target} in order`,
        )
      }
    })

    it('hides what is nobody’s business', async (test) => {
      const { call } = await open(test, database)
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
        (await call('PATCH', '/employees/1', { type: 'employee', id: '1', attributes: {} })).status,
        403,
      )
      assert.equal((await call('POST', '/genres', { type: 'genre' })).status, 403)
    })

    it('makes videos of what is created as one, and of nothing else', async (test) => {
      const { url, call } = await open(test, database)
      const attributes = { title: 'Pilot', milliseconds: 1500000, price: '1.99' }
      const made = await call('POST', '/videos', { type: 'video', attributes })
      assert.equal(made.status, 201, made.text)
      const [stored] = await execute(
        url,
        `select "MediaTypeId" as medium from "Track" where "TrackId" = ${made.one.id}`,
      )
      assert.equal(stored?.medium, 5)
      assert.equal((await call('GET', '/videos/1')).status, 404)
      assert.equal((await call('DELETE', '/videos/1')).status, 404)
      assert.equal((await call('GET', '/tracks/1')).status, 200)
    })

    it('sells a track at its own price, dates an invoice once, and refuses to sell nothing', async (test) => {
      const { call } = await open(test, database)
      const customer = { customer: to('customer', '1') }
      const invoice = await call('POST', '/invoices', { type: 'invoice', relationships: customer })
      assert.equal(invoice.status, 201, invoice.text)
      const { id } = invoice.one
      const date = String(invoice.one.attributes?.date)
      assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000, date)
      const line = (quantity: number, relationships: object) =>
        call('POST', `/invoices/${id}/lines`, {
          type: 'invoiceLine',
          attributes: { quantity, unitPrice: '0.01' },
          relationships,
        })
      const sold = await line(3, { track: to('track', '382') })
      assert.equal(sold.one.attributes?.unitPrice, '1.99', sold.text)
      assert.equal((await call('GET', `/invoices/${id}`)).one.attributes?.total, '5.97')
      const none = await line(1, {})
      assert.deepEqual([none.status, none.fault.code], [422, 'no_track'])
      const few = await line(0, { track: to('track', '382') })
      assert.deepEqual(few.fault.detail, 'quantity: must be at least 1; it is 0.')
      const redate = await call('PATCH', `/invoices/${id}`, {
        type: 'invoice',
        id,
        attributes: { date: '2020-01-01T00:00:00Z' },
      })
      assert.deepEqual(redate.fault.source, { pointer: '/data/attributes/date' })
    })

    it('lets nobody be their own manager, nor be hired before they are born', async (test) => {
      const { call } = await open(test, database)
      const managed = (by: string) =>
        call('PATCH', '/staff/2/relationships/manager', { type: 'staff', id: by })
      for (const by of ['2', '3', '4']) {
        const refused = await managed(by)
        assert.deepEqual([refused.status, refused.fault.code], [422, 'own_manager'])
      }
      assert.equal((await call('GET', '/staff/2/manager')).one.id, '1')
      assert.equal((await managed('6')).status, 200)
      const upwards = await call('PATCH', '/staff/3/relationships/reports', [
        { type: 'staff', id: '6' },
      ])
      assert.equal(upwards.status, 422)
      const hired = (hireDate: string | null) =>
        call('PATCH', '/staff/1', { type: 'staff', id: '1', attributes: { hireDate } })
      assert.deepEqual((await hired('1961-12-31')).fault.source, {
        pointer: '/data/attributes/hireDate',
      })
      assert.equal((await hired('1980-01-01')).status, 200)
      assert.equal((await hired(null)).status, 200)
    })
  })
}

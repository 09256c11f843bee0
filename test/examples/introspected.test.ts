import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertCompiles, assertTidy, fittingModel, introspected, project } from '../cli/written.ts'
import { lasting } from '../filled.ts'
import { type Ask, musicStore, serve } from './serving.ts'
import { walkAll } from './walk.ts'

const identifiers = ({ body }: Awaited<ReturnType<Ask>>, type: string) =>
  (body.included ?? []).filter((each) => each.type === type).map(({ id }) => id)

for (const database of lasting) {
  describe(`The music store as it was introspected · ${database.name}`, () => {
    it('is formatted, compiles, and serves every relationship both ways', async (test) => {
      const { url, rows } = await musicStore(test, database)
      const place = await project(test)
      const resources = await introspected(place, 'resources', url)
      assertTidy(place)
      assertCompiles(place)
      const ask = await serve(test, await fittingModel(resources, url), url)
      const found = await walkAll({ resources, ask, rows })
      assert.equal(Object.keys(found).length, 20)
      assert.partialDeepStrictEqual(found, {
        'album.tracks': 3503,
        'track.album': 3503,
        'playlist.tracks': 8715,
        'track.playlists': 8715,
        'employee.reportsTo': 7,
        'employee.employeesByReportsTo': 7,
        'invoice.invoiceLines': 2240,
      })
    })

    it('includes, filters, sorts and pages', async (test) => {
      const { url, rows } = await musicStore(test, database)
      const resources = await introspected(await project(test), 'resources', url)
      const ask = await serve(test, await fittingModel(resources, url), url)
      const numbers = async (sql: string) => (await rows(sql)).map(({ id }) => String(id))

      const include = 'albums.tracks.genre,albums.tracks.playlists'
      const artist = await ask('/artists/151', { include })
      const albums = await numbers('select "AlbumId" as id from "Album" where "ArtistId" = 151')
      const tracks = `select "TrackId" from "Track" join "Album" using ("AlbumId") where "ArtistId" = 151`
      assert.deepEqual(identifiers(artist, 'album').sort(), albums.sort())
      assert.equal(identifiers(artist, 'track').length, (await rows(tracks)).length)
      const playlists = await numbers(
        `select distinct "PlaylistId" as id from "PlaylistTrack" where "TrackId" in (${tracks})`,
      )
      assert.deepEqual(identifiers(artist, 'playlist').sort(), playlists.sort())

      const bossaNova = { name: 'genre__name', op: 'eq', val: 'Bossa Nova' }
      const filter = [
        { name: 'tracks', op: 'any', val: bossaNova },
        { not: { name: 'tracks', op: 'any', val: { not: bossaNova } } },
      ]
      const only = await ask('/playlists', { filter })
      assert.deepEqual(
        only.many.map(({ id }) => id),
        ['12'],
      )

      const sorted = await ask('/tracks', {
        sort: 'album.title,-milliseconds',
        'page[size]': '7',
        'page[number]': '3',
      })
      const expected = await numbers(
        `select "TrackId" as id from "Track" join "Album" using ("AlbumId")
       order by "Title", "Milliseconds" desc, "TrackId" limit 7 offset 14`,
      )
      assert.deepEqual(
        sorted.many.map(({ id }) => id),
        expected,
      )
      assert.equal(sorted.body.meta?.count, 3503)
    })
  })
}

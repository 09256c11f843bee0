import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ResourceDeclaration } from 'lapidary'
import { Cleanup } from '../cleanup.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  importGenerated,
  verifiedModel,
} from '../cli/generated-project.ts'
import { databases } from '../databases.ts'
import { long } from '../long-tests.ts'

import { createMusicStore, type Get, type MusicStore, serve } from './music-store.ts'
import { verifyRelationships } from './verify-relationships.ts'

const includedIds = ({ body }: Awaited<ReturnType<Get>>, type: string) =>
  (body.included ?? []).filter((each) => each.type === type).map(({ id }) => id)

// The walks through sample databases in `test/cli/` show the same of other tables.
describe('The music store with generated declarations', long, () => {
  const projects = new Cleanup()
  let project: string
  before(async () => {
    project = await createProject(projects)
  })
  after(() => projects.run())

  for (const database of databases) {
    describe(database.name, () => {
      const cleanup = new Cleanup()
      let store: MusicStore
      let resources: readonly ResourceDeclaration[]
      let get: Get
      before(async () => {
        store = await createMusicStore(cleanup, database)
        resources = await importGenerated(project, database.dialect, store.url)
        get = await serve(cleanup, await verifiedModel(resources, store.url), store.url)
      })
      after(() => cleanup.run())

      it('serves both directions of every relationship', async () => {
        const { runSql } = store
        const counts = await verifyRelationships({ resources, get, runSql })
        assert.equal(Object.keys(counts).length, 20)
        assert.partialDeepStrictEqual(counts, {
          'album.tracks': 3503,
          'track.album': 3503,
          'playlist.tracks': 8715,
          'track.playlists': 8715,
          'employee.reportsTo': 7,
          'employee.employeesByReportsTo': 7,
          'invoice.invoiceLines': 2240,
        })
      })

      it('includes, filters, sorts and paginates', async () => {
        const { runSql } = store
        const selectIds = async (sql: string) => (await runSql(sql)).map(({ id }) => String(id))

        const include = 'albums.tracks.genre,albums.tracks.playlists'
        const artist = await get('/artists/151', { include })
        const albums = await selectIds('select "AlbumId" as id from "Album" where "ArtistId" = 151')
        const tracks = `select "TrackId" from "Track" join "Album" using ("AlbumId") where "ArtistId" = 151`
        assert.deepEqual(includedIds(artist, 'album').sort(), albums.sort())
        assert.equal(includedIds(artist, 'track').length, (await runSql(tracks)).length)
        const playlists = await selectIds(
          `select distinct "PlaylistId" as id from "PlaylistTrack" where "TrackId" in (${tracks})`,
        )
        assert.deepEqual(includedIds(artist, 'playlist').sort(), playlists.sort())

        const bossaNova = { name: 'genre__name', op: 'eq', val: 'Bossa Nova' }
        const filter = [
          { name: 'tracks', op: 'any', val: bossaNova },
          { not: { name: 'tracks', op: 'any', val: { not: bossaNova } } },
        ]
        const playlistsWithOnly = await get('/playlists', { filter })
        assert.deepEqual(
          playlistsWithOnly.many.map(({ id }) => id),
          ['12'],
        )

        const sorted = await get('/tracks', {
          sort: 'album.title,-milliseconds',
          'page[size]': '7',
          'page[number]': '3',
        })
        const expected = await selectIds(
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

  it('are formatted and compile', () => {
    for (const { dialect } of databases) assert.ok(existsSync(join(project, dialect, 'index.ts')))
    assertFormatted(project)
    assertCompiles(project)
  })
})

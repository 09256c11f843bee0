import { attribute, expression, integer, resource, sql, text, toMany, toOne } from 'lapidary'

/** An album of one artist. The database computes its length, in milliseconds, from its tracks. */
export const album = resource('album', {
  path: '/albums',
  table: 'Album',
  id: 'AlbumId',
  description: 'A collection of tracks by one artist.',
  fields: {
    title: attribute(text, { required: true, column: 'Title' }),
    trackCount: expression(
      integer,
      (column) =>
        sql`(select count(*) from "Track" where "Track"."AlbumId" = ${column('AlbumId')})`,
    ),
    milliseconds: expression(
      integer,
      (column) =>
        sql`(select coalesce(sum("Milliseconds"), 0) from "Track" where "Track"."AlbumId" = ${column('AlbumId')})`,
    ),
    artist: toOne('artist', { column: 'ArtistId', required: true }),
    tracks: toMany('track', { column: 'AlbumId' }),
  },
})

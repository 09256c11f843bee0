import { attribute, expression, integer, resource, sql, text, toMany } from 'lapidary'

/** A list of tracks. The join table `PlaylistTrack` is not a resource type. */
export const playlist = resource('playlist', {
  path: '/playlists',
  table: 'Playlist',
  id: 'PlaylistId',
  fields: {
    name: attribute(text, { required: true, column: 'Name' }),
    trackCount: expression(
      integer,
      (column) =>
        sql`(select count(*) from "PlaylistTrack" where "PlaylistTrack"."PlaylistId" = ${column('PlaylistId')})`,
    ),
    tracks: toMany('track', {
      through: { table: 'PlaylistTrack', from: 'PlaylistId', to: 'TrackId' },
    }),
  },
})

import { attribute, expression, integer, resource, sql, text, toMany } from 'lapidary'

/** A list of tracks. The table between is nobody's resource: its rows are links and nothing else. */
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

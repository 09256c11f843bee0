import {
  attribute,
  computed,
  decimal,
  integer,
  notNull,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'

/** A song, a movement or an episode. Clients can filter and sort by `milliseconds`; `length` is computed for display. */
export const track = resource('track', {
  path: '/tracks',
  table: 'Track',
  id: 'TrackId',
  description: 'A song, a movement or an episode.',
  fields: {
    name: attribute(text, { required: true, column: 'Name' }),
    composer: attribute(text, { column: 'Composer' }),
    milliseconds: attribute(integer, { required: true, column: 'Milliseconds' }),
    length: computed(text, { Milliseconds: notNull(integer) }, ({ Milliseconds }) =>
      minutesOf(Number(Milliseconds)),
    ),
    bytes: attribute(integer, { column: 'Bytes' }),
    price: attribute(decimal({ precision: 10, scale: 2 }), { required: true, column: 'UnitPrice' }),
    album: toOne('album', { column: 'AlbumId' }),
    genre: toOne('genre', { column: 'GenreId' }),
    mediaType: toOne('mediaType', { column: 'MediaTypeId', required: true }),
    playlists: toMany('playlist', {
      through: { table: 'PlaylistTrack', from: 'TrackId', to: 'PlaylistId' },
    }),
    sales: toMany('invoiceLine', { column: 'TrackId', access: 'read-only' }),
  },
})

/** Formats a duration in minutes and seconds, e.g. `3:07`. */
function minutesOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

import { attribute, decimal, integer, resource, sql, text, toOne } from 'lapidary'

/** The id of the media type `Protected MPEG-4 video file`. */
const videoFile = 5

/** A track with the media type video: some of the rows of `track`. New videos get this media type. */
export const video = resource('video', {
  path: '/videos',
  table: 'Track',
  id: 'TrackId',
  description: 'A video track, such as an episode of a show.',
  scope: (column) => sql`${column('MediaTypeId')} = ${videoFile}`,
  insertDefaults: { MediaTypeId: videoFile },
  fields: {
    title: attribute(text, { required: true, column: 'Name' }),
    milliseconds: attribute(integer, { required: true, column: 'Milliseconds' }),
    price: attribute(decimal({ precision: 10, scale: 2 }), { required: true, column: 'UnitPrice' }),
    season: toOne('album', { column: 'AlbumId' }),
    genre: toOne('genre', { column: 'GenreId' }),
  },
})

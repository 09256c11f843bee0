import { attribute, decimal, integer, resource, sql, text, toOne } from 'lapidary'

/** The medium of every video, `Protected MPEG-4 video file`. */
const videoFile = 5

/** A track to be looked at: some rows of a table that `track` shows whole. What is created here is one, too. */
export const video = resource('video', {
  path: '/videos',
  table: 'Track',
  id: 'TrackId',
  description: 'A track to be looked at, such as an episode of a show.',
  where: (column) => sql`${column('MediaTypeId')} = ${videoFile}`,
  newRows: { MediaTypeId: videoFile },
  fields: {
    title: attribute(text, { required: true, column: 'Name' }),
    milliseconds: attribute(integer, { required: true, column: 'Milliseconds' }),
    price: attribute(decimal({ precision: 10, scale: 2 }), { required: true, column: 'UnitPrice' }),
    season: toOne('album', { column: 'AlbumId' }),
    genre: toOne('genre', { column: 'GenreId' }),
  },
})

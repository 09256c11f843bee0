import { attribute, resource, text, toMany } from 'lapidary'

/** A genre. Read-only: clients cannot add genres. */
export const genre = resource('genre', {
  path: '/genres',
  table: 'Genre',
  id: 'GenreId',
  access: 'read-only',
  fields: {
    name: attribute(text, { column: 'Name' }),
    tracks: toMany('track', { column: 'GenreId' }),
  },
})

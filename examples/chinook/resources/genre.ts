import { attribute, resource, text, toMany } from 'lapidary'

/** A genre. The list is the store's own: nobody adds to it from outside. */
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

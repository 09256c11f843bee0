import { attribute, resource, text, toMany } from 'lapidary'

/** In which format a track is sold. The list is the store's own, as that of genres is. */
export const mediaType = resource('mediaType', {
  path: '/media-types',
  table: 'MediaType',
  id: 'MediaTypeId',
  access: 'read-only',
  fields: {
    name: attribute(text, { column: 'Name' }),
    tracks: toMany('track', { column: 'MediaTypeId' }),
  },
})

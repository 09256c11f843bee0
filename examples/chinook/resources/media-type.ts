import { attribute, resource, text, toMany } from 'lapidary'

/** The file format of a track. Read-only: clients cannot add media types. */
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

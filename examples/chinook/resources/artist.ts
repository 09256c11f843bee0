import { attribute, expression, integer, resource, sql, text, toMany } from 'lapidary'

/** A person or group with albums. The database counts the albums. */
export const artist = resource('artist', {
  path: '/artists',
  table: 'Artist',
  id: 'ArtistId',
  description: 'A person or group who makes music or shows.',
  fields: {
    name: attribute(text, { required: true, column: 'Name' }),
    albumCount: expression(
      integer,
      (column) =>
        sql`(select count(*) from "Album" where "Album"."ArtistId" = ${column('ArtistId')})`,
    ),
    albums: toMany('album', { column: 'ArtistId' }),
  },
})

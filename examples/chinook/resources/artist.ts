import { attribute, expression, integer, resource, sql, text, toMany } from 'lapidary'

/** Someone, or several, who made albums. How many is counted by the database. */
export const artist = resource('artist', {
  path: '/artists',
  table: 'Artist',
  id: 'ArtistId',
  description: 'Someone who makes music or shows.',
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

import { attribute, decimal, integer, RequestError, resource, sql, toOne } from 'lapidary'
import { z } from 'zod'

const atLeastOne = z.int().min(1, 'must be at least 1')

/** A sold track. A hook copies the current price of the track; clients cannot set it. */
export const invoiceLine = resource('invoiceLine', {
  path: '/invoice-lines',
  table: 'InvoiceLine',
  id: 'InvoiceLineId',
  hooks: {
    beforeCreate: async ({ relationships }, { query }) => {
      const [track] = await query(
        sql`select cast("UnitPrice" as text) as price from "Track" where "TrackId" = ${relationships.track}`,
      )
      if (track !== undefined) return { unitPrice: String(track.price) }
      throw new RequestError({
        status: 422,
        code: 'no_track',
        title: 'Missing track',
        detail: 'An invoice line needs a track.',
        pointer: '/data/relationships/track',
      })
    },
  },
  fields: {
    unitPrice: attribute(decimal({ precision: 10, scale: 2 }), {
      access: 'read-only',
      column: 'UnitPrice',
      default: '0',
    }),
    quantity: attribute(integer, { required: true, column: 'Quantity', validate: atLeastOne }),
    invoice: toOne('invoice', { column: 'InvoiceId', nullable: false }),
    track: toOne('track', { column: 'TrackId', nullable: false }),
  },
})

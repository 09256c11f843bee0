import { attribute, decimal, integer, Refusal, resource, sql, toOne } from 'lapidary'
import { z } from 'zod'

const atLeastOne = z
  .union([z.int(), z.bigint()])
  .refine((quantity) => quantity >= 1, 'must be at least 1')

/** A track as it was sold: at the price it had then, which is the store's to say and not the buyer's. */
export const invoiceLine = resource('invoiceLine', {
  path: '/invoice-lines',
  table: 'InvoiceLine',
  id: 'InvoiceLineId',
  hooks: {
    beforeCreate: async ({ relationships }, { query }) => {
      const id = relationships.track?.ids[0]
      const [track] = await query(
        sql`select cast("UnitPrice" as text) as price from "Track" where "TrackId" = ${id}`,
      )
      if (track !== undefined) return { unitPrice: String(track.price) }
      throw new Refusal({
        status: 422,
        code: 'no_track',
        title: 'Nothing is sold',
        detail: 'A line of an invoice needs a track.',
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
    invoice: toOne('invoice', { column: 'InvoiceId' }),
    track: toOne('track', { column: 'TrackId' }),
  },
})

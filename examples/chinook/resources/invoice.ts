import {
  attribute,
  datetime,
  decimal,
  expression,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'

/** An invoice. Its total is that of its lines, whatever stands in the column `Total`, which other programs fill. */
export const invoice = resource('invoice', {
  path: '/invoices',
  table: 'Invoice',
  id: 'InvoiceId',
  newRows: { Total: 0 },
  fields: {
    date: attribute(datetime, {
      access: 'write-once',
      column: 'InvoiceDate',
      default: () => new Date().toISOString(),
    }),
    city: attribute(text, { column: 'BillingCity' }),
    country: attribute(text, { column: 'BillingCountry' }),
    total: expression(
      decimal({ precision: 10, scale: 2 }),
      // SQLite keeps prices as floats, whose sum is a little off.
      (column) =>
        sql`(select round(coalesce(sum("UnitPrice" * "Quantity"), 0), 2) from "InvoiceLine" where "InvoiceLine"."InvoiceId" = ${column('InvoiceId')})`,
    ),
    customer: toOne('customer', { column: 'CustomerId' }),
    lines: toMany('invoiceLine', { column: 'InvoiceId' }),
  },
})

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

/** An invoice. Its total is the sum of its lines. The column `Total`, which other programs write, is not used. */
export const invoice = resource('invoice', {
  path: '/invoices',
  table: 'Invoice',
  id: 'InvoiceId',
  insertDefaults: { Total: 0 },
  fields: {
    date: attribute(datetime, {
      nullable: false,
      access: 'immutable',
      column: 'InvoiceDate',
      default: () => new Date().toISOString(),
    }),
    city: attribute(text, { column: 'BillingCity' }),
    country: attribute(text, { column: 'BillingCountry' }),
    total: expression(
      decimal({ precision: 10, scale: 2 }),
      // SQLite stores prices as doubles, so their sum has a rounding error.
      (column) =>
        sql`(select round(coalesce(sum("UnitPrice" * "Quantity"), 0), 2) from "InvoiceLine" where "InvoiceLine"."InvoiceId" = ${column('InvoiceId')})`,
    ),
    customer: toOne('customer', { column: 'CustomerId', required: true }),
    lines: toMany('invoiceLine', { column: 'InvoiceId' }),
  },
})

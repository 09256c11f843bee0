import { attribute, computed, email, notNull, resource, text, toMany, toOne } from 'lapidary'

/** A customer. The stored street address and phone numbers are not declared, so no client can read them. */
export const customer = resource('customer', {
  path: '/customers',
  table: 'Customer',
  id: 'CustomerId',
  fields: {
    firstName: attribute(text, { required: true, column: 'FirstName' }),
    lastName: attribute(text, { required: true, column: 'LastName' }),
    name: computed(
      text,
      { FirstName: notNull(text), LastName: notNull(text) },
      ({ FirstName, LastName }) => `${FirstName} ${LastName}`,
    ),
    company: attribute(text, { column: 'Company' }),
    city: attribute(text, { column: 'City' }),
    country: attribute(text, { column: 'Country' }),
    email: attribute(email, { required: true, access: 'write-only', column: 'Email' }),
    supportAgent: toOne('employee', { column: 'SupportRepId' }),
    invoices: toMany('invoice', { column: 'CustomerId', access: 'read-only' }),
  },
})

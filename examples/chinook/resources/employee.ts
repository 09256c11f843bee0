import { attribute, computed, notNull, resource, text, toMany, toOne } from 'lapidary'

/** What anybody may know of those who work here: no birthdays, no addresses, and nothing can be changed. */
export const employee = resource('employee', {
  path: '/employees',
  table: 'Employee',
  id: 'EmployeeId',
  description: 'Someone who works here, as customers know them.',
  access: 'read-only',
  fields: {
    name: computed(
      text,
      { FirstName: notNull(text), LastName: notNull(text) },
      ({ FirstName, LastName }) => `${FirstName} ${LastName}`,
    ),
    title: attribute(text, { column: 'Title' }),
    manager: toOne('employee', { column: 'ReportsTo' }),
    reports: toMany('employee', { column: 'ReportsTo' }),
    customers: toMany('customer', { column: 'SupportRepId' }),
  },
})

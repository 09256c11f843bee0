import { attribute, computed, notNull, resource, text, toMany, toOne } from 'lapidary'

/** The public data of an employee: without birth date and address, and read-only. */
export const employee = resource('employee', {
  path: '/employees',
  table: 'Employee',
  id: 'EmployeeId',
  description: 'The public data of an employee.',
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

import { attribute, date, email, Refusal, resource, sql, text, toMany, toOne } from 'lapidary'
import { z } from 'zod'

/** Midnights stand in SQLite's table, which a filter for the day would not find. */
const day = { filter: false } as const

/** Nobody is hired before they are born. */
const days = z
  .object({ birthDate: z.string().nullable(), hireDate: z.string().nullable() })
  .refine(({ birthDate, hireDate }) => !birthDate || !hireDate || birthDate < hireDate, {
    path: ['hireDate'],
    error: 'must be after birthDate',
  })

/** Those who work here as their own office knows them: the same table as `employee`, whole, and it can be changed. */
export const staff = resource('staff', {
  path: '/staff',
  table: 'Employee',
  id: 'EmployeeId',
  description: 'Someone who works here, as the office knows them.',
  validate: days,
  hooks: {
    /** A chain of managers ends with somebody who has none. */
    afterUpdate: async ({ id }, _before, { query }) => {
      const [loop] = await query(sql`
        with recursive above (id) as (
          select "ReportsTo" from "Employee" where "EmployeeId" = ${id}
          union select "ReportsTo" from "Employee" join above on "EmployeeId" = above.id
        ) select id from above where id = ${id}`)
      if (loop === undefined) return
      throw new Refusal({
        status: 422,
        code: 'own_manager',
        title: 'Nobody is their own manager',
        detail: 'The manager reports to this person, be it through others.',
        pointer: '/data/relationships/manager',
      })
    },
  },
  fields: {
    firstName: attribute(text, { required: true, column: 'FirstName' }),
    lastName: attribute(text, { required: true, column: 'LastName' }),
    title: attribute(text, { column: 'Title' }),
    birthDate: attribute(date, { column: 'BirthDate', ...day }),
    hireDate: attribute(date, { column: 'HireDate', ...day }),
    address: attribute(text, { column: 'Address' }),
    city: attribute(text, { column: 'City' }),
    country: attribute(text, { column: 'Country' }),
    phone: attribute(text, { column: 'Phone' }),
    email: attribute(email, { column: 'Email' }),
    manager: toOne('staff', { column: 'ReportsTo' }),
    reports: toMany('staff', { column: 'ReportsTo' }),
  },
})

import { attribute, date, email, RequestError, resource, sql, text, toMany, toOne } from 'lapidary'
import { z } from 'zod'

/** The SQLite table stores dates as midnights, which a filter for the date would not match. */
const day = { filter: false } as const

/** The hire date must be after the birth date. */
const days = z
  .object({ birthDate: z.string().nullable(), hireDate: z.string().nullable() })
  .refine(({ birthDate, hireDate }) => !birthDate || !hireDate || birthDate < hireDate, {
    path: ['hireDate'],
    error: 'must be after birthDate',
  })

/** All data of an employee, writable, for the office. Uses the same table as `employee`. */
export const staff = resource('staff', {
  path: '/staff',
  table: 'Employee',
  id: 'EmployeeId',
  description: 'All data of an employee, for the office.',
  validate: days,
  hooks: {
    /** Rejects a cycle in the chain of managers. */
    afterUpdate: async ({ id }, _before, { query }) => {
      const [cycle] = await query(sql`
        with recursive above (id) as (
          select "ReportsTo" from "Employee" where "EmployeeId" = ${id}
          union select "ReportsTo" from "Employee" join above on "EmployeeId" = above.id
        ) select id from above where id = ${id}`)
      if (cycle === undefined) return
      throw new RequestError({
        status: 422,
        code: 'own_manager',
        title: 'Circular management',
        detail: 'The manager reports to this person, directly or indirectly.',
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

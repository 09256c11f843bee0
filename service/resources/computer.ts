import { attribute, resource, text, toOne } from 'lapidary'

/** A computer has at most one owner, stored as `person_id`. */
export const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  description: 'A computer, which a person may own.',
  fields: {
    serial: attribute(text, { required: true }),
    owner: toOne('person', { column: 'person_id' }),
  },
})

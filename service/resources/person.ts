import { attribute, computed, date, email, notNull, resource, text, toMany } from 'lapidary'

/** A person may own computers. The stored `password` is not declared, so no request can reach it. */
export const person = resource('person', {
  path: '/persons',
  table: 'person',
  description: 'A person, who may own computers.',
  fields: {
    name: attribute(text, { required: true }),
    email: attribute(email, { access: 'write-only', filter: true }),
    birth_date: attribute(date),
    gender: attribute(text),
    display_name: computed(
      text,
      { name: notNull(text), email },
      ({ name, email }) =>
        email === null ? name.toUpperCase() : `${name.toUpperCase()} <${email}>`,
      { neverThrows: true },
    ),
    computers: toMany('computer', { column: 'person_id', count: true }),
  },
})

import { cell } from './everything/rows.ts'
import type { Row, Schema } from './schema.ts'

/** The persons and computers of the service, as in `docs/service.md`. No response may depend on the stored `password`. */
export const people: Schema = {
  types: {
    person: {
      path: '/persons',
      table: 'person',
      id: { column: 'id', kind: 'id' },
      attributes: {
        name: { kind: 'text', required: true },
        email: { kind: 'email', access: 'write-only' },
        birth_date: { kind: 'date' },
        gender: { kind: 'text' },
        display_name: {
          kind: 'text',
          access: 'read-only',
          filters: false,
          sorts: false,
          of: displayName,
        },
      },
      relationships: {
        computers: {
          to: 'computer',
          many: true,
          isCounted: true,
          link: { foreignKey: 'other', ownKey: 'id', otherKey: 'person_id' },
        },
      },
    },
    computer: {
      path: '/computers',
      table: 'computer',
      id: { column: 'id', kind: 'id' },
      attributes: { serial: { kind: 'text', required: true } },
      relationships: {
        owner: {
          to: 'person',
          many: false,
          link: { foreignKey: 'own', ownKey: 'person_id', otherKey: 'id' },
        },
      },
    },
  },
  tables: {
    person: {},
    computer: {
      references: { person_id: { table: 'person', column: 'id', onDelete: 'set null' } },
    },
  },
}

function displayName(row: Row): string {
  const name = String(cell(row, 'name')).toUpperCase()
  const email = cell(row, 'email')
  return email === null ? name : `${name} <${email}>`
}

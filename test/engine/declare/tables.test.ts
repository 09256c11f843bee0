import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  checkTables,
  computed,
  defineModel,
  email,
  notNull,
  type ResourceDeclaration,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { type ColumnTypes, databases } from '../../databases.ts'
import { catchDeclarationErrors, openStore } from '../engine.ts'

const tables = ({ newId }: ColumnTypes) => `
  create table person (id ${newId}, name text not null, nick text);
  create table computer (id ${newId}, serial text not null, person_id integer);
  create table badge (id ${newId}, code text unique, person_name text);
  create view owner as select id, name from person`

type Fields = ResourceDeclaration['fields']

const person = (fields: Fields, other: Partial<ResourceDeclaration> = {}): ResourceDeclaration => ({
  ...resource('person', { path: '/persons', table: 'person', fields }),
  ...other,
})
const computer = (table = 'computer') =>
  resource('computer', { path: '/computers', table, access: 'read-only', fields: {} })

const badge = (fields: Fields = {}): ResourceDeclaration =>
  resource('badge', { path: '/badges', table: 'badge', fields })

const tableNames = 'the tables are '

/** Declarations that the tables do not bear out, with every error. */
const wrong: readonly (readonly [
  sentence: string,
  resources: readonly ResourceDeclaration[],
  ...errors: string[],
])[] = [
  [
    'a table that is not there, near one that is',
    [person({ name: attribute(text) }, { table: 'persons' })],
    'person.table: the database has no table "persons"; did you mean "person"?',
  ],
  [
    'a table that is not there',
    [person({ name: attribute(text) }, { table: 'xyzzy' })],
    `person.table: the database has no table "xyzzy"; ${tableNames}`,
  ],
  [
    'an attribute over a column that is not there',
    [person({ name: attribute(text), birth: attribute(text) })],
    'person.fields.birth.column: the table "person" has no column "birth"; the columns are "id", "name", "nick".',
  ],
  [
    'an attribute over another column that is not there',
    [person({ name: attribute(text, { column: 'nam' }) })],
    'person.fields.name.column: the table "person" has no column "nam"; did you mean "name"?',
  ],
  [
    'a computed field over a column that is not there',
    [person({ card: computed(text, { name: text, e_mail: email }, () => null) })],
    'person.fields.card.columns.e_mail: the table "person" has no column "e_mail"; the columns are',
  ],
  [
    'a computed field that takes a column for never null which may be',
    [person({ card: computed(text, { name: notNull(text), nick: notNull(text) }, () => null) })],
    'person.fields.card.columns.nick: the column "nick" of the table "person" is nullable',
  ],
  [
    'ids in a column that is not there',
    [person({ name: attribute(text) }, { id: 'no' })],
    'person.id: the table "person" has no column "no"; the columns are',
  ],
  [
    'a to-one relationship over a column that is not there',
    [person({ machine: toOne('computer', { column: 'computer_id' }) }), computer()],
    'person.fields.machine.column: the table "person" has no column "computer_id"; the columns are',
  ],
  [
    'a to-many relationship over a column that is not in their table',
    [person({ machines: toMany('computer', { column: 'owner_id' }) }), computer()],
    'person.fields.machines.column: the table "computer" has no column "owner_id"; the columns are',
  ],
  [
    'a relationship to a type whose table does not exist, which is reported once',
    [
      person({
        name: attribute(text, { required: true }),
        machines: toMany('computer', { column: 'person_id' }),
      }),
      computer('laptop'),
    ],
    `computer.table: the database has no table "laptop"; ${tableNames}`,
  ],
  [
    'a key that refers to a column of theirs that may be null, and is written',
    [person({ badge: toOne('badge', { column: 'nick', references: 'code' }) }), badge()],
    'person.fields.badge.references: the column "code" of the table "badge" is nullable, and a row with null cannot be linked',
  ],
  [
    'a key that refers to a column of one’s own that may be null, and is written',
    [
      badge({ persons: toMany('person', { column: 'nick', references: 'code' }) }),
      person({ name: attribute(text, { required: true }) }),
    ],
    'badge.fields.persons.references: the column "code" of the table "badge" is nullable',
  ],
  [
    'a key that refers to a column that is not unique',
    [person({ badge: toOne('badge', { column: 'nick', references: 'person_name' }) }), badge()],
    'person.fields.badge.references: the column "person_name" of the table "badge" is not unique',
  ],
  [
    'several at once',
    [
      person({ a: attribute(text), b: attribute(text) }, { id: 'no' }),
      computer('xyzzy'),
      person({ c: attribute(text) }, { type: 'other', path: '/others' }),
    ],
    'person.id: the table "person" has no column "no"; ',
    'person.fields.a.column: the table "person" has no column "a"; ',
    'person.fields.b.column: the table "person" has no column "b"; ',
    'computer.table: the database has no table "xyzzy"; ',
    'other.fields.c.column: the table "person" has no column "c"; ',
  ],
]

for (const database of databases) {
  describe(`Declarations against the tables · ${database.name}`, () => {
    /** The errors of declarations over the tables; none if they match. */
    async function tableErrors(resources: readonly ResourceDeclaration[]) {
      const model = defineModel(resources)
      const { url, remove } = await database.create()
      const store = await openStore(model, url)
      try {
        await store.migrate([{ version: 1, sql: tables(database.columnTypes) }])
        const catalog = await store.catalog()
        return await catchDeclarationErrors(() => checkTables(model, catalog))
      } finally {
        await store.close()
        await remove()
      }
    }

    for (const [sentence, resources, ...expected] of wrong) {
      it(`rejected: ${sentence}`, async () => {
        const errors = await tableErrors(resources)
        assert.equal(errors.length, expected.length, errors.join('\n'))
        for (const [index, start] of expected.entries()) {
          assert.ok(errors[index]?.startsWith(start), `${errors[index]}\n${start}`)
        }
      })
    }

    it('accepted: tables and views with the declared columns and further ones', async () => {
      const fields = {
        name: attribute(text, { required: true }),
        nick: attribute(text),
        card: computed(text, { name: notNull(text), nick: text }, ({ name }) => name),
        machines: toMany('computer', { column: 'person_id' }),
        badge: toOne('badge', { column: 'nick', references: 'code', access: 'read-only' }),
      }
      const owner = resource('owner', {
        path: '/owners',
        table: 'owner',
        access: 'read-only',
        fields: { name: attribute(text) },
      })
      assert.deepEqual(await tableErrors([person(fields), computer(), owner, badge()]), [])
    })
  })
}

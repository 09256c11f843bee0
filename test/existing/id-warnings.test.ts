import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, date, defineModel, type IdOptions, integer, resource, text } from 'lapidary'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite')

const declare = <const Type extends string>(type: Type, id: IdOptions) =>
  resource(type, { path: `/${type}s`, table: type, id, fields: { word: attribute(text) } })

/** Declares types of which some have rows whose ids no request can name. */
const model = defineModel([
  declare('plain', {}),
  declare('code', { column: 'code', kind: text, client: 'required' }),
  declare('part', { column: ['a', 'b'], kind: [integer, date], client: 'required' }),
  declare('fine', { column: ['a', 'b'], kind: [integer, date], client: 'required' }),
])

it('the startup check of SQLite names ids that are null or of another kind', async (test) => {
  assert.ok(sqlite)
  const url = await filled(
    test,
    sqlite,
    `create table plain (id integer primary key, word text); insert into plain (word) values ('x');
     create table code (code text primary key, word text); insert into code values ('a', 'x'), (null, 'y');
     create table part (a integer, b text, word text, primary key (a, b));
     insert into part values (1, '2024-01-01', 'x'), ('abc', '2024-01-01', 'y');
     create table fine (a integer, b text, word text, primary key (a, b)); insert into fine values (1, '2024-01-01', 'x')`,
  )
  const store = await openStore(model, url)
  test.after(() => store.close())
  const { warnings } = await store.verify()
  const consequence =
    'such rows are returned, and no request finds them by their ids; correct or delete them'
  assert.deepEqual(warnings, [
    `code.id: the column "code" of "code" contains null; ${consequence}`,
    `part.id: the columns "a", "b" of "part" contain "abc,2024-01-01", which is no id of part; ${consequence}`,
  ])
})

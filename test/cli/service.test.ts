import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { ResourceDeclaration } from 'lapidary'
import { resources as service } from '../../service/resources/index.ts'
import { startService } from '../../service/start.ts'
import { filled, isPostgres, lasting } from '../filled.ts'
import { introspected, project } from './written.ts'

/** What the tables of the service say of it. */
async function fromTables(databaseUrl: string, test: TestContext) {
  const running = await startService({ port: 0, databaseUrl, logLevel: 'silent' })
  await running.close()
  return introspected(await project(test), 'resources', databaseUrl)
}

type Field = ResourceDeclaration['fields'][string]

/** A field in one line. */
function lineOf(name: string, field: Field): string {
  switch (field.is) {
    case 'attribute': {
      const { access = 'read-write', required = false, column = name } = field
      return [name, field.kind.name, column, required ? 'required' : 'optional', access].join(' ')
    }
    case 'toOne':
    case 'toMany':
      return `${name} ${field.is} ${field.to} ${'column' in field ? field.column : ''}`
    case 'expression':
    case 'computed':
      return `${name} ${field.is}`
  }
}

function linesOf({ type, path, table, id = 'id', fields }: ResourceDeclaration): string[] {
  const lines = Object.entries(fields).map(([name, field]) => `${type}.${lineOf(name, field)}`)
  return [`${type} ${path} ${table} ${id}`, ...lines].sort()
}

/** What no database can tell, as the service has it and as it was introspected. */
const untold: Readonly<Record<string, string | undefined>> = {
  // Which texts are e-mail addresses, and that they are taken and never told.
  'person.email email email optional write-only': 'person.email text email optional read-write',
  // What is computed from what is stored.
  'person.display_name computed': undefined,
  // That the person of a computer is its owner.
  'computer.owner toOne person person_id': 'computer.person toOne person person_id',
}

/** What SQLite cannot tell besides. */
const untoldBySqlite: typeof untold = {
  // Which texts are days: SQLite has no type for them, and the service's tables are strict.
  'person.birth_date date birth_date optional read-write':
    'person.birth_date text birth_date optional read-write',
}

for (const database of lasting) {
  describe(`The tables of the service · ${database.name}`, () => {
    it('give back the service, but for what no database can tell', async (test) => {
      const url = await filled(test, database, '')
      const changed = isPostgres(url) ? untold : { ...untold, ...untoldBySqlite }
      const expected = service
        .flatMap(linesOf)
        .flatMap((line) => (line in changed ? (changed[line] ?? []) : line))
      assert.deepEqual((await fromTables(url, test)).flatMap(linesOf).sort(), expected.sort())
      for (const line of Object.keys(changed)) {
        assert.ok(service.flatMap(linesOf).includes(line), line)
      }
    })
  })
}

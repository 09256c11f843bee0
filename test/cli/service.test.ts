import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { ResourceDeclaration } from 'lapidary'
import { resources as service } from '../../service/resources/index.ts'
import { startService } from '../../service/start-service.ts'
import { databases } from '../databases.ts'
import { filled, isPostgres } from '../filled.ts'
import { createProject, importGenerated } from './generated-project.ts'

/** Generates declarations from the tables of the service. */
async function generateFromTables(databaseUrl: string, test: TestContext) {
  const running = await startService({ port: 0, databaseUrl, logLevel: 'silent' })
  await running.close()
  return importGenerated(await createProject(test), 'resources', databaseUrl)
}

type Field = ResourceDeclaration['fields'][string]

/** Describes a field in one line. */
function describeField(name: string, field: Field): string {
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

function describeResource({ type, path, table, id = 'id', fields }: ResourceDeclaration): string[] {
  const lines = Object.entries(fields).map(
    ([name, field]) => `${type}.${describeField(name, field)}`,
  )
  return [`${type} ${path} ${table} ${id}`, ...lines].sort()
}

/** Lines of the service that no database can express, each with the line that is generated instead. */
const differences: Readonly<Record<string, string | undefined>> = {
  // That a text is an e-mail address, and that clients may write but not read it.
  'person.email email email optional write-only': 'person.email text email optional read-write',
  // Computed attributes.
  'person.display_name computed': undefined,
  // That the person of a computer is called its owner.
  'computer.owner toOne person person_id': 'computer.person toOne person person_id',
}

/** More differences on SQLite. */
const sqliteDifferences: typeof differences = {
  // That a text is a date: the strict tables of the service have the type TEXT for dates.
  'person.birth_date date birth_date optional read-write':
    'person.birth_date text birth_date optional read-write',
}

for (const database of databases) {
  describe(`Declarations generated from the service's tables · ${database.name}`, () => {
    it('equal those of the service, except for what a database cannot express', async (test) => {
      const url = await filled(test, database, '')
      const changed = isPostgres(url) ? differences : { ...differences, ...sqliteDifferences }
      const expected = service
        .flatMap(describeResource)
        .flatMap((line) => (line in changed ? (changed[line] ?? []) : line))
      assert.deepEqual(
        (await generateFromTables(url, test)).flatMap(describeResource).sort(),
        expected.sort(),
      )
      for (const line of Object.keys(changed)) {
        assert.ok(service.flatMap(describeResource).includes(line), line)
      }
    })
  })
}

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { ResourceDeclaration } from 'lapidary'
import { resources as service } from '../../service/resources/index.ts'
import { startService } from '../../service/start.ts'
import { introspected, project } from './written.ts'

/** What the tables of the service say of it. */
async function fromTables(test: TestContext): Promise<readonly ResourceDeclaration[]> {
  const place = await project(test)
  const path = join(place, 'service.db')
  const settings = { port: 0, databaseUrl: `sqlite:${path}`, logLevel: 'silent' }
  const running = await startService(settings)
  await running.close()
  return introspected(place, 'resources', path)
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
  // Which texts are days: SQLite has no type for them, and the service's tables are strict.
  'person.birth_date date birth_date optional read-write':
    'person.birth_date text birth_date optional read-write',
  // What is computed from what is stored.
  'person.display_name computed': undefined,
  // That the person of a computer is its owner.
  'computer.owner toOne person person_id': 'computer.person toOne person person_id',
}

describe('The tables of the service', () => {
  it('give back the service, but for what no database can tell', async (test) => {
    const expected = service
      .flatMap(linesOf)
      .flatMap((line) => (line in untold ? (untold[line] ?? []) : line))
    assert.deepEqual((await fromTables(test)).flatMap(linesOf).sort(), expected.sort())
    for (const line of Object.keys(untold)) {
      assert.ok(service.flatMap(linesOf).includes(line), line)
    }
  })
})

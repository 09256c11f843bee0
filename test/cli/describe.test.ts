import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { absolutePath } from '../docs/pages.ts'
import { execute } from '../filled.ts'
import { folder } from '../service/child.ts'
import { runCommand } from './command-process.ts'
import { createProject } from './generated-project.ts'

const declarations = absolutePath('service/resources/index.ts')

describe('lapidary idempotency', () => {
  it('prints the SQL of the table of keys', async () => {
    const printed = await runCommand(absolutePath('.'), ['idempotency', 'sql'])
    assert.deepEqual([printed.status, printed.stderr], [0, ''])
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(':memory:')
    database.exec(printed.stdout)
    assert.equal(database.prepare('select count(*) as n from lapidary_idempotency').get()?.n, 0)
    database.close()
  })
})

describe('lapidary openapi and lapidary routes', () => {
  async function lapidary(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await runCommand(absolutePath('.'), args)
    assert.deepEqual([status, stderr], [0, ''])
    return stdout
  }

  it('print the description of declarations, and a table of their operations', async () => {
    const description = JSON.parse(await lapidary('openapi', declarations, '--prefix', '/api'))
    assert.equal(description.openapi, '3.1.0')
    assert.deepEqual(description.servers, [{ url: '/api' }])
    const table = await lapidary('routes', declarations, '--prefix', '/api')
    const [head = '', ...rows] = table.trimEnd().split('\n')
    assert.match(head, /^METHOD {2}PATH +OPERATION$/)
    assert.ok(rows.some((row) => /^DELETE {2}\/api\/persons\/\{id\} +person\.delete$/.test(row)))
    const paths: readonly object[] = Object.values(description.paths)
    const methods = paths.flatMap((item) => Object.keys(item).filter((key) => key !== 'parameters'))
    // OpenAPI 3.1 cannot describe QUERY, which each list takes.
    const queries = rows.filter((row) => row.startsWith('QUERY '))
    assert.match(queries.join('\n'), /^QUERY +\/api\/persons +person\.list\.query$/m)
    assert.equal(rows.length - queries.length, methods.length)
  })

  it('given an auth context, print what the access rules let it know and do', async (test) => {
    const project = await createProject(test)
    const file = join(project, 'notes.ts')
    writeFileSync(
      file,
      `import { action, attribute, resource, text } from 'lapidary'
      const isLead = ({ role }: { role: string }) => role === 'lead'
      export const resources = [
        resource('note', {
          path: '/notes',
          table: 'note',
          access: { read: true, create: isLead, update: false, delete: isLead, anonymous: ['read'] },
          fields: { text: attribute(text), secret: attribute(text, { readable: isLead, writable: isLead }) },
          actions: { archive: action({ callable: isLead, run: () => {} }) },
        }),
        resource('log', {
          ...{ path: '/logs', table: 'log', access: { read: isLead, create: isLead } },
          fields: { text: attribute(text) },
        }),
      ]`,
    )
    const list = async (...auth: readonly string[]) => {
      const table = await lapidary('routes', file, ...auth)
      return table.split('\n').flatMap((line) => line.match(/ (\S+)$/)?.[1] ?? [])
    }
    const ofNotes = ['root', 'note.list', 'note.list.query', 'note.get']
    assert.deepEqual(await list('--auth', 'null'), ['OPERATION', ...ofNotes])
    const ofMember = await lapidary('openapi', file, '--auth', '{"role":"member"}')
    assert.doesNotMatch(ofMember, /secret|"log"|log\.|archive|note\.new|"post"/)
    const ofLead = [
      ...['root', 'note.list', 'note.create', 'note.list.query'],
      'note.get',
      'note.delete',
    ]
    assert.deepEqual((await list('--auth', '{"role":"lead"}')).slice(1), [
      ...ofLead,
      'note.actions.archive',
      'log.list',
      'log.create',
      'log.list.query',
      'log.get',
      'log.update',
      'log.delete',
    ])
    assert.ok((await list()).includes('note.update'))
  })

  it('print the parameters of a table function', async (test) => {
    const project = await createProject(test)
    const file = join(project, 'declarations.ts')
    writeFileSync(
      file,
      `import { attribute, integer, nullable, resource, sql, tableFunction, withDefault } from 'lapidary'
      export const resources = [
        resource('number', {
          path: '/numbers',
          table: tableFunction({ from: integer, to: integer, by: withDefault(integer, 1), most: nullable(integer) }, ({ from }) => sql\`select \${from} as id\`),
          access: 'read-only',
          fields: { square: attribute(integer) },
        }),
      ]`,
    )
    const table = await lapidary('routes', file, '--prefix', '/api')
    assert.match(
      table,
      /^GET +\/api\/numbers\?filter\[from\]=\{from\}&filter\[to\]=\{to\}&filter\[by\]=\{by\?\}&filter\[most\]=\{most\?\} +number\.list$/m,
    )
    assert.match(table, /^GET +\/api\/numbers\/\{id\} +number\.get$/m)
    const { paths } = JSON.parse(await lapidary('openapi', file))
    const names = paths['/numbers'].get.parameters.flatMap(({ name = '' }) => name)
    assert.ok(names.includes('filter[from]') && names.includes('filter[to]'), String(names))
  })

  it('take the tables of a database', async (test) => {
    const url = `sqlite:${join(await folder(test), 'music.db')}`
    await execute(url, 'create table albums (id integer primary key, title text not null)')
    assert.match(await lapidary('routes', url), /^POST +\/albums +albums\.create$/m)
  })

  const cases = [
    [['routes'], /routes takes declarations, e\.g\. lapidary routes resources\/index\.ts/],
    [['openapi', 'missing.ts'], /there is no file missing\.ts/],
    [['openapi', declarations, '--prefix', 'api'], /--prefix must be a path such as \/api/],
  ] as const
  for (const [args, message] of cases)
    it(`given lapidary ${args.map((each) => basename(each)).join(' ')}, then one line says what is wrong`, async () => {
      const { status, stderr } = await runCommand(absolutePath('.'), args)
      assert.match(stderr, message)
      assert.equal(status, 2)
    })
})

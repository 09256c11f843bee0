import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../cli/command-process.ts'
import { createPackageFolder } from '../package-folder.ts'

const declarations = `
import { attribute, declare, sql, text, toOne } from 'lapidary'
const { auth, defineModel, resource } = declare<{ auth: { id: string; org: string; admin?: boolean } }>()
const isAdmin = auth((user) => user.admin === true)
const note = resource('note', {
  path: '/notes',
  table: 'note',
  access: {
    read: { any: [isAdmin, { filter: [{ name: 'owner', op: 'eq', val: auth((user) => user.id) }] }] },
    create: true,
    delete: { sql: (column) => sql\`\${column('text')} = 'old'\` },
    anonymous: ['create'],
  },
  fields: {
    text: attribute(text),
    owner: attribute(text, { set: auth((user) => user.id) }),
    secret: attribute(text, { readable: isAdmin, writable: isAdmin }),
  },
})
export const model = defineModel([note], { tenant: { column: 'org', value: auth((user) => user.org) }, access: 'deny by default' })`

const ada = '{"id":"ada","org":"x"}'

describe('The command access', () => {
  let folder: string
  before(async () => {
    folder = await createPackageFolder('access')
    await writeFile(join(folder, 'model.ts'), declarations)
    await writeFile(join(folder, 'users.json'), `[${ada}, null]`)
    const database = new DatabaseSync(join(folder, 'notes.db'))
    database.exec(
      `create table note (id integer primary key, text, owner, secret, org);
       insert into note values (1, 'old', 'ada', 's', 'x'), (2, 'new', 'ada', 's', 'x'), (3, 'old', 'ada', 's', 'y')`,
    )
    database.close()
  })
  after(() => rm(folder, { recursive: true }))

  /** Runs the command in the folder. @returns its exit code and its lines */
  async function run(...args: readonly string[]) {
    const { status, stdout, stderr } = await runCommand(folder, ['access', ...args], {})
    return { status, stderr, stdout, lines: stdout.trimEnd().split('\n') }
  }
  const database = ['--database-url', 'sqlite:notes.db']

  it('prints a table of several identities, inline and of a file', async () => {
    const admin = '{"id":"eve","org":"y","admin":true}'
    const { status, stderr, lines } = await run(
      'model.ts',
      ...['--identity', admin, '--identity', 'users.json'],
    )
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(lines, [
      `identity 1: ${admin}`,
      `identity 2: ${ada}`,
      'identity 3: null',
      '',
      '           identity 1   identity 2   identity 3',
      'note',
      '  read     all          [1]          none',
      '  create   all          all          all',
      '  update   none         none         none',
      '  delete   [2]          [2]          none',
      '  .text    rwfs         rwfs         rwfs',
      '  .owner   r-fs ="eve"  r-fs ="ada"  r-fs =null',
      '  .secret  rwfs         hidden       hidden',
      '  tenant   org = "y"    org = "x"    org = null',
      '',
      '[1] filter=[{"name":"owner","op":"eq","val":"ada"}]',
      `[2] "text" = 'old'`,
      '',
      'Rows: all, none, or those that match a condition [n]. Fields: r read, w write, f filter, s sort; = the server sets it.',
    ])
  })

  it('prints the table of a request without an auth context, and JSON', async () => {
    const { lines } = await run('model.ts')
    assert.equal(lines[0], 'identity 1: null')
    const { stdout } = await run('model.ts', '--identity', ada, '--json')
    const [{ identity, types }] = JSON.parse(stdout)
    assert.deepEqual(identity, JSON.parse(ada))
    assert.deepEqual(types[0].operations.read, {
      filter: [{ name: 'owner', op: 'eq', val: 'ada' }],
    })
  })

  it('explains a request: the rules, their SQL, the tenant and hidden fields', async () => {
    const { status, lines } = await run(
      'model.ts',
      'DELETE /notes/2',
      '--identity',
      ada,
      ...database,
    )
    assert.equal(status, 0)
    assert.deepEqual(lines, [
      `DELETE /notes/2 as ${ada}: 403`,
      '',
      'path: note.access.read allows it',
      '  rows: filter=[{"name":"owner","op":"eq","val":"ada"}]',
      '  sql: "t0"."owner" = ?',
      '  values: "ada"',
      '',
      'path: note.access.delete denies it',
      `  rows: "text" = 'old'`,
      `  sql: ("t0"."text" = 'old')`,
      '',
      'tenant: org = "x"',
      'hidden fields: note.secret',
    ])
    const allowed = await run('model.ts', 'DELETE /notes/1', '--identity', ada, ...database)
    assert.equal(allowed.lines[0], `DELETE /notes/1 as ${ada}: no rule denies it`)
    const ofOther = await run('model.ts', '/notes/3', '--identity', ada, ...database)
    assert.equal(ofOther.lines[0], `/notes/3 as ${ada}: 404`)
    const anonymous = await run('model.ts', 'POST /api/notes', '--prefix', '/api', ...database)
    assert.deepEqual(anonymous.lines.slice(0, 3), [
      'POST /api/notes as null: no rule denies it',
      '',
      'path: note.access.create allows it',
    ])
    assert.ok(anonymous.lines.includes('set by the server: owner = null'))
  })

  it('reports what a document must not contain, and prints JSON', async () => {
    const attributes = { owner: 'eve', secret: 'x' }
    const body = JSON.stringify({ data: { type: 'note', attributes } })
    const args = ['model.ts', 'POST /notes', '--identity', ada, '--body', body, ...database]
    const [explained] = JSON.parse((await run(...args, '--json')).stdout)
    assert.equal(explained.request, 'POST /notes')
    assert.deepEqual(
      explained.errors.map(({ code, rule }: Record<string, unknown>) => [code, rule]),
      [
        ['forbidden', 'note.fields.owner.set'],
        ['unknown_field', undefined],
      ],
    )
    const { lines } = await run(...args)
    assert.match(lines.join('\n'), /403 forbidden: .* \(note\.fields\.owner\.set\)/)
  })

  const cases: readonly (readonly [args: readonly string[], line: RegExp])[] = [
    [[], /^lapidary: access takes declarations and may take a request, e\.g\. /],
    [
      ['model.ts', '--identity', '{id'],
      /--identity must be JSON, or a file with JSON; it is '\{id'/,
    ],
    [['model.ts', '--body', '{'], /--body must be JSON, e\.g\. --body/],
    [['model.ts', '/notes'], /model\.ts exports no store; give its database by --database-url/],
    [['model.ts', '/nothing', ...database], /^lapidary: .*\/nothing/],
    [['model.ts', 'PUT /notes', ...database], /PUT is not allowed at this path/],
  ]
  for (const [args, line] of cases)
    it(`given the arguments ${args.join(' ') || '(none)'}, then one line says what is wrong, and the exit code is 2`, async () => {
      const { status, stderr } = await run(...args)
      assert.equal(status, 2, args.join(' '))
      assert.match(stderr, line)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
    })
})

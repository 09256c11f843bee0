import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { Model, Store } from 'lapidary'
import * as lapidary from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { getCodec } from '../../src/model/kinds/codecs.ts'
import { listOperators } from '../../src/model/kinds/operators.ts'
import { databases as allDatabases } from '../../src/tools/databases.ts'
import { findViolations } from '../checker/check-exchange.ts'
import { type Client, connect } from '../client.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import { long } from '../long-tests.ts'
import { createPackageFolder } from '../package-folder.ts'
import { blocksOf, codeRows, memberAt, requestsIn } from './blocks.ts'
import { announceProgram } from './compile-together.ts'
import { readPage, section } from './pages.ts'

/** The guides, in the order in which their blocks form a program. */
const guides = [
  'declaring.md',
  'declaring/resource-types.md',
  'declaring/attributes.md',
  'declaring/relationships.md',
  'declaring/validators-and-hooks.md',
  'declaring/startup.md',
  'declaring/databases.md',
]
const declaring = guides.map((guide) => readPage(`docs/${guide}`)).join('\n')
const blocks = blocksOf(declaring)
const inLanguage = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)

/** Joins the code blocks of the guides to a module that exports its values and uses a database. */
function programOn(database: string): string {
  const text = inLanguage('ts').join('\n')
  const here = text
    .replace("'library.db'", JSON.stringify(database))
    .replace('port: 3001', 'port: 0')
    .replace('createServer({', "createServer({ logLevel: 'silent',")
    .replace('console.log(address)', '')
  assert.ok(here.includes(JSON.stringify(database)) && here.includes('port: 0'))
  const [, types = ''] = /defineModel\(\s*\[([^\]]*)\]/.exec(here) ?? []
  const rows = codeRows(kindsSection, '| in TypeScript |')
  const kinds = rows.map(([kind, , , , , type], at) => `const kind${at}: Kind<${type}> = ${kind}`)
  return [
    "import type { Json, Kind } from 'lapidary'",
    here,
    `export const resources = [${types}]`,
    'export { address, server, store }',
    ...kinds,
    `export const kinds: readonly Kind<unknown>[] = [${rows.map((_, at) => `kind${at}`).join(', ')}]`,
  ].join('\n')
}

const kindsSection = section(declaring, '## Kinds')

/** The exports of the program. */
interface Program {
  readonly address: string
  readonly server: { close(): Promise<void> }
  readonly store: Store
  readonly resources: readonly Readonly<Record<string, unknown>>[]
}

describe('The guides of docs/declaring.md', () => {
  const compile = announceProgram('declaring', programOn('library.db'))
  let folder: string
  let database: string
  let file: string
  let program: Program
  let client: Client

  before(async () => {
    folder = await createPackageFolder('declaring')
    database = join(folder, 'library.db')
    const tables = new DatabaseSync(database)
    for (const sql of inLanguage('sql')) tables.exec(sql)
    tables.close()
    file = join(folder, 'library.ts')
    await writeFile(file, programOn(database))
    program = await import(file)
    client = connect(program.address)
  })
  after(async () => {
    client?.close()
    await program?.server.close()
    await program?.store.close()
    await rm(folder, { recursive: true, force: true })
  })

  it(
    'is one program that compiles, and shows the TypeScript types of the kinds',
    long,
    async () => {
      assert.equal(await compile(), '')
    },
  )

  const requests = requestsIn(declaring)

  it('shows at least 19 requests', () => {
    assert.ok(requests.length >= 19, String(requests.length))
  })

  it('shows the responses of the program to its requests, one after the other', async () => {
    for (const { method, path, headers, raw, status, part, body } of requests) {
      const exchange = await client.send(method, path, { headers, raw })
      const message = `${method} ${path}\n${exchange.text}`
      assert.equal(exchange.status, status, message)
      assert.deepEqual(findViolations(exchange), [])
      if (part) assert.deepEqual(memberAt(JSON.parse(exchange.text), part), body, message)
    }
  })

  it('declares tables without startup warnings', async () => {
    assert.deepEqual(await program.store.verify(), { warnings: [], unserved: [] })
  })

  it('shows the relationships as the program declares them', () => {
    const bare = (code: string) =>
      code.replace(/\s/g, '').replaceAll(',}', '}').replaceAll(',)', ')')
    const code = bare(inLanguage('ts').join(''))
    const rows = codeRows(section(declaring, '## Relationships by shape'), '| shape |')
    assert.equal(rows.length, 7)
    for (const [shape = '', declaration = ''] of rows)
      assert.ok(code.includes(bare(declaration)), shape)
  })

  const kindValues = codeRows(kindsSection, '| in TypeScript |')
  const kindTypes = codeRows(kindsSection, '| JSON Schema |')

  it('shows 18 kinds in both of its tables', () => {
    assert.equal(kindValues.length, 18)
    assert.deepEqual(
      kindTypes.map(([name]) => name),
      kindValues.map(([name]) => name),
    )
  })

  for (const [name = '', , body = '', serialized, query = ''] of kindValues)
    it(`shows values that the kind ${name} accepts and serializes`, () => {
      const kind = evaluate(name)
      const reading = kind.readBody(parsed(body))
      assert.ok('value' in reading, name)
      assert.equal(kind.serialize(reading.value), serialized, name)
      if (query !== '–') assert.ok('value' in kind.readFilterText(query), `${name}: ${query}`)
    })

  for (const [name = '', operators = '', columns = '', types = '', schema = ''] of kindTypes)
    it(`shows the operators and the column types of the kind ${name}`, () => {
      const names = new Map(
        codeRows(kindsSection, '| names |').map(([group = '', all = '']) => [
          group,
          all.replaceAll('`', '').split(', '),
        ]),
      )
      const kind = evaluate(name)
      assert.equal(kind.operators, operators, name)
      assert.deepEqual(listOperators(kind), names.get(operators), name)
      assert.deepEqual(kind.schema, JSON.parse(schema), name)
      const { acceptsColumnType } = getCodec(kind.codec, allDatabases.sqlite)
      // One column of each affinity. A column without a type has the affinity BLOB.
      const accepted = ['TEXT', 'BLOB', 'INTEGER', 'NUMERIC', 'REAL'].filter((type) =>
        acceptsColumnType(type),
      )
      assert.deepEqual(columns.split(', ').sort(), accepted.sort(), name)
      const postgres = getCodec(kind.codec, allDatabases.postgres)
      const suited = [...postgresTypes].flatMap(([name, type]) =>
        postgres.acceptsColumnType(type) ? [name] : [],
      )
      assert.deepEqual(types.split(', ').sort(), suited.sort(), name)
    })

  for (const other of databases.filter((each) => each.name === 'PostgreSQL')) {
    it('shows the startup warnings, and the SQL that fixes them', async (test) => {
      const rows = codeRows(section(declaring, '## Warnings'), '| fix |')
      assert.equal(rows.length, 8)
      const columns = rows.map(([column]) => column).join(', ')
      const url = await filled(
        test,
        other,
        `create extension citext;
         create collation any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         create table thing (id bigint generated by default as identity primary key, ${columns})`,
      )
      const fields = rows.map(([column = '', kind = '']) => {
        return [column.split(' ')[0], lapidary.attribute(evaluate(kind))]
      })
      const thing = { type: 'thing', path: '/things', table: 'thing' }
      const model: Model = Reflect.apply(lapidary.defineModel, undefined, [
        [{ ...thing, fields: Object.fromEntries(fields) }],
      ])
      const warnings = await warningsOn(model, url)
      const expected = rows.map(([column = '', , says, fix]) => {
        return `thing.fields.${column.split(' ')[0]}: ${says}; to fix it: ${fix}`
      })
      assert.deepEqual(warnings.toSorted(), expected.toSorted())
      for (const [, , , fix = ''] of rows) await execute(url, fix)
      assert.deepEqual(await warningsOn(model, url), [])
    })
  }

  for (const other of databases) {
    it(`shows the warnings about missing indexes, and the SQL that fixes them · ${other.name}`, async (test) => {
      const rows = codeRows(section(declaring, '## Warnings'), '| relationship of `thing` |')
      assert.equal(rows.length, 2)
      const tables = `create table thing (id integer primary key, whole_id integer);
         create table liking (one_id integer not null, other_id integer not null, primary key (one_id, other_id))`
      const url = await filled(test, other, tables)
      const fields = Object.fromEntries(
        rows.map(([code = '']) => {
          const [, name = '', declaration = ''] = /^(\w+): (.*)$/.exec(code) ?? []
          return [name, evaluate(declaration)]
        }),
      )
      const thing = { type: 'thing', path: '/things', table: 'thing', id: { client: 'required' } }
      const model: Model = Reflect.apply(lapidary.defineModel, undefined, [[{ ...thing, fields }]])
      const expected = rows.map(([code = '', says, fix = '']) => {
        const [, table = '', column = ''] = /on "(\w+)" \("(\w+)"\)/.exec(fix) ?? []
        const complete =
          other.dialect === 'sqlite' ? fix.replace('on', `"${table}_${column}" on`) : fix
        return `thing.fields.${code.split(':')[0]}: ${says}; to fix it: ${complete}`
      })
      assert.deepEqual(await warningsOn(model, url), expected)
      for (const line of expected) await execute(url, line.split('; to fix it: ')[1] ?? '')
      assert.deepEqual(await warningsOn(model, url), [])
    })
  }

  const commonErrors = codeRows(section(declaring, '## Common errors'), '| path |')

  it('shows at least 12 common errors', () => {
    assert.ok(commonErrors.length >= 12)
  })

  for (const [position = '', code = '', message = ''] of commonErrors)
    it(`shows the error that the startup check reports for ${code} at ${position}`, async () => {
      const changed = withChange(program.resources, position, evaluate(code))
      assert.deepEqual(await declarationErrorsOf(changed, database), [message])
    })
})

/** PostgreSQL types whose name on the page equals the name in the catalog. */
const sameNames =
  'text citext enum bigint integer smallint numeric real boolean date uuid json jsonb bytea interval name text[] bigint[] integer[] smallint[]'

/** The catalog's name of each PostgreSQL type on the page. */
const postgresTypes: ReadonlyMap<string, string> = new Map([
  ...sameNames.split(' ').map((name) => [name, name] as const),
  ['double precision', 'double precision'],
  ['varchar', 'character varying(20)'],
  ['char', 'character(5)'],
  ['timestamptz', 'timestamp(3) with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['time', 'time without time zone'],
])

/** Returns the startup warnings for a model. */
async function warningsOn(model: Model, url: string): Promise<readonly string[]> {
  const store = await openStore(model, url)
  try {
    return (await store.verify()).warnings
  } finally {
    await store.close()
  }
}

/** Evaluates a part of a declaration. */
function evaluate(code: string): lapidary.Kind<unknown> {
  const names = Object.keys(lapidary)
  return new Function(...names, `return (${code})`)(...Object.values(lapidary))
}

/** Parses JSON. Large integers become bigints, as in request bodies. */
function parsed(text: string): unknown {
  return /^\d{16,}$/.test(text) ? BigInt(text) : JSON.parse(text)
}

/** Returns the declarations with another value at one position, e.g. `book.fields.title`. */
function withChange(
  resources: Program['resources'],
  position: string,
  value: unknown,
): Readonly<Record<string, unknown>>[] {
  const [type, first = '', second] = position.split('.')
  return resources.map((resource) => {
    if (resource.type !== type) return resource
    const inner = second === undefined ? value : { ...Object(resource[first]), [second]: value }
    return { ...resource, [first]: inner }
  })
}

/** Returns the declaration errors that the startup check reports. */
async function declarationErrorsOf(resources: readonly unknown[], database: string) {
  let store: Store | undefined
  try {
    const model: Model = Reflect.apply(lapidary.defineModel, undefined, [resources])
    store = openSqlite(model, database)
    await store.verify()
    return []
  } catch (error) {
    assert.ok(error instanceof lapidary.DeclarationError, String(error))
    return error.errors
  } finally {
    await store?.close()
  }
}

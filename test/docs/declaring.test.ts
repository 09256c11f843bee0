import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Model, Store } from 'lapidary'
import * as lapidary from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { formNamed } from '../../src/model/codecs.ts'
import { operatorsOf } from '../../src/model/operators.ts'
import { breaches } from '../checker/checker.ts'
import { type Client, connect } from '../client.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, lasting } from '../filled.ts'
import { blocksOf, codeRows, partOf, requestsIn } from './blocks.ts'
import { page, placeOf, section } from './pages.ts'

const declaring = page('docs/declaring.md')
const blocks = blocksOf(declaring)
const inLanguage = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)

/** The program that the page's blocks are, made a module that hands out what it has made. */
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

/** What the program hands out. */
interface Program {
  readonly address: string
  readonly server: { close(): Promise<void> }
  readonly store: Store
  readonly resources: readonly Readonly<Record<string, unknown>>[]
}

describe('docs/declaring.md', () => {
  let folder: string
  let database: string
  let file: string
  let program: Program
  let client: Client

  before(async () => {
    // Within the package, so that its own name leads to it; git leaves the folder alone.
    await mkdir(placeOf('dist'), { recursive: true })
    folder = await mkdtemp(placeOf('dist/declaring-'))
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

  it('is one program whose types hold, those of the kinds among them', async () => {
    const config = {
      extends: placeOf('tsconfig.json'),
      include: [file],
      compilerOptions: { noUnusedLocals: true },
    }
    const project = join(folder, 'tsconfig.json')
    await writeFile(project, JSON.stringify(config))
    const tsc = join(dirname(createRequire(file).resolve('typescript/package.json')), 'bin/tsc')
    const words = [tsc, '--project', project]
    const { stdout } = await promisify(execFile)(process.execPath, words).catch((error) => error)
    assert.equal(stdout, '')
  })

  it('shows requests that are answered as it says', async () => {
    const requests = requestsIn(declaring)
    assert.ok(requests.length >= 19, String(requests.length))
    for (const { method, path, headers, raw, status, part, body } of requests) {
      const exchange = await client.send(method, path, { headers, raw })
      const asked = `${method} ${path}\n${exchange.text}`
      assert.equal(exchange.status, status, asked)
      assert.deepEqual(breaches(exchange), [])
      if (part) assert.deepEqual(partOf(JSON.parse(exchange.text), part), body, asked)
    }
  })

  it('declares tables of which the start has nothing to say', async () => {
    assert.deepEqual(await program.store.check(), [])
  })

  it('shows relationships in the words of the program', () => {
    const bare = (code: string) =>
      code.replace(/\s/g, '').replaceAll(',}', '}').replaceAll(',)', ')')
    const code = bare(inLanguage('ts').join(''))
    const rows = codeRows(section(declaring, '## Relationships'), '| shape |')
    assert.equal(rows.length, 6)
    for (const [shape = '', declaration = ''] of rows)
      assert.ok(code.includes(bare(declaration)), shape)
  })

  it('tells what each kind takes and tells', () => {
    const rows = codeRows(kindsSection, '| in TypeScript |')
    assert.equal(rows.length, 17)
    for (const [name = '', , taken = '', told, query = ''] of rows) {
      const kind = made(name)
      const reading = kind.readBody(parsed(taken))
      assert.ok('value' in reading, name)
      assert.equal(kind.tell(reading.value), told, name)
      if (query !== '–') assert.ok('value' in kind.readText(query), `${name}: ${query}`)
    }
  })

  it('tells how each kind is asked for and kept', () => {
    const names = new Map(
      codeRows(kindsSection, '| names |').map(([word = '', all = '']) => [
        word,
        all.replaceAll('`', '').split(', '),
      ]),
    )
    const rows = codeRows(kindsSection, '| JSON Schema |')
    const values = codeRows(kindsSection, '| in TypeScript |')
    assert.deepEqual(
      rows.map(([name]) => name),
      values.map(([name]) => name),
    )
    for (const [name = '', operators = '', columns = '', types = '', schema = ''] of rows) {
      const kind = made(name)
      assert.equal(kind.operators, operators, name)
      assert.deepEqual(operatorsOf(kind), names.get(operators), name)
      assert.deepEqual(kind.schema, JSON.parse(schema), name)
      const { suits } = formNamed(kind.form, 'sqlite')
      // A column of each affinity, one without a type being of BLOB.
      const kept = ['TEXT', 'BLOB', 'INTEGER', 'NUMERIC', 'REAL'].filter((type) => suits(type))
      assert.deepEqual(columns.split(', ').sort(), kept.sort(), name)
      const postgres = formNamed(kind.form, 'postgres')
      const suited = [...postgresTypes].flatMap(([word, type]) =>
        postgres.suits(type) ? [word] : [],
      )
      assert.deepEqual(types.split(', ').sort(), suited.sort(), name)
    }
  })

  for (const other of lasting.filter((each) => each.name === 'PostgreSQL')) {
    it('tells what the start remarks on, and what mends it', async (test) => {
      const rows = codeRows(section(declaring, '## What differs by database'), '| to mend it |')
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
        return [column.split(' ')[0], lapidary.attribute(made(kind))]
      })
      const thing = { type: 'thing', path: '/things', table: 'thing' }
      const model: Model = Reflect.apply(lapidary.defineModel, undefined, [
        [{ ...thing, fields: Object.fromEntries(fields) }],
      ])
      const remarks = await remarksOn(model, url)
      const expected = rows.map(([column = '', , says, mend]) => {
        return `thing.fields.${column.split(' ')[0]}: ${says}; to mend it: ${mend}`
      })
      assert.deepEqual(remarks.toSorted(), expected.toSorted())
      for (const [, , , mend = ''] of rows) await execute(url, mend)
      assert.deepEqual(await remarksOn(model, url), [])
    })
  }

  for (const other of lasting) {
    it(`tells the relationships that the start warns of, and what mends it · ${other.name}`, async (test) => {
      const rows = codeRows(
        section(declaring, '## What differs by database'),
        '| relationship of `thing` |',
      )
      assert.equal(rows.length, 2)
      const tables = `create table thing (id integer primary key, whole_id integer);
         create table liking (one_id integer not null, other_id integer not null, primary key (one_id, other_id))`
      const url = await filled(test, other, tables)
      const fields = Object.fromEntries(
        rows.map(([code = '']) => {
          const [, name = '', declaration = ''] = /^(\w+): (.*)$/.exec(code) ?? []
          return [name, made(declaration)]
        }),
      )
      const thing = { type: 'thing', path: '/things', table: 'thing', id: { client: 'required' } }
      const model: Model = Reflect.apply(lapidary.defineModel, undefined, [[{ ...thing, fields }]])
      const expected = rows.map(([code = '', says, mend = '']) => {
        const [, table = '', column = ''] = /on "(\w+)" \("(\w+)"\)/.exec(mend) ?? []
        const whole =
          other.dialect === 'sqlite' ? mend.replace('on', `"${table}_${column}" on`) : mend
        return `thing.fields.${code.split(':')[0]}: ${says}; to mend it: ${whole}`
      })
      assert.deepEqual(await remarksOn(model, url), expected)
      for (const line of expected) await execute(url, line.split('; to mend it: ')[1] ?? '')
      assert.deepEqual(await remarksOn(model, url), [])
    })
  }

  it('shows common mistakes with what the start says of each', async () => {
    const rows = codeRows(section(declaring, '## Common mistakes'), '| where |')
    assert.ok(rows.length >= 12)
    for (const [place = '', written = '', said = ''] of rows) {
      const changed = withChange(program.resources, place, made(written))
      const mistakes = await startOf(changed, database)
      assert.deepEqual(mistakes, [said], `${place}: ${written}`)
    }
  })
})

/** Types of PostgreSQL that the page calls by the names that the catalog has for them, and some that keep nothing. */
const sameNames =
  'text citext enum bigint integer smallint numeric real boolean date uuid json jsonb bytea interval name text[]'

/** The words of the page for PostgreSQL's types, and how the catalog tells these. */
const postgresTypes: ReadonlyMap<string, string> = new Map([
  ...sameNames.split(' ').map((name) => [name, name] as const),
  ['double precision', 'double precision'],
  ['varchar', 'character varying(20)'],
  ['char', 'character(5)'],
  ['timestamptz', 'timestamp(3) with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['time', 'time without time zone'],
])

/** What the start remarks on. */
async function remarksOn(model: Model, url: string): Promise<readonly string[]> {
  const store = await openStore(model, url)
  try {
    return await store.check()
  } finally {
    await store.close()
  }
}

/** What a piece of a declaration makes. */
function made(code: string): lapidary.Kind<unknown> {
  const names = Object.keys(lapidary)
  // The page writes JavaScript here, which is the reader's to write too.
  return new Function(...names, `return (${code})`)(...Object.values(lapidary))
}

/** A JSON text with whole numbers beyond 2^53 as they are read from bodies. */
function parsed(text: string): unknown {
  return /^\d{16,}$/.test(text) ? BigInt(text) : JSON.parse(text)
}

/** The declarations with another word in one place, e.g. `book.fields.title`. */
function withChange(
  resources: Program['resources'],
  place: string,
  word: unknown,
): Readonly<Record<string, unknown>>[] {
  const [type, first = '', second] = place.split('.')
  return resources.map((resource) => {
    if (resource.type !== type) return resource
    const inner = second === undefined ? word : { ...Object(resource[first]), [second]: word }
    return { ...resource, [first]: inner }
  })
}

/** What the start says of declarations: a line per mistake. */
async function startOf(resources: readonly unknown[], database: string) {
  let store: Store | undefined
  try {
    const model: Model = Reflect.apply(lapidary.defineModel, undefined, [resources])
    store = openSqlite(model, database)
    await store.check()
    return []
  } catch (error) {
    assert.ok(error instanceof lapidary.DeclarationError, String(error))
    return error.mistakes
  } finally {
    await store?.close()
  }
}

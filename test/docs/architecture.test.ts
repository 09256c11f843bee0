import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { resources } from '../../service/resources/index.ts'
import { startService } from '../../service/start-service.ts'
import { defineModel } from '../../src/index.ts'
import { parseQuery } from '../../src/parse/query.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { planCollection } from '../../src/plan/read.ts'
import { compileRead } from '../../src/store/compile-read.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { connect } from '../client.ts'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'
import { long } from '../long-tests.ts'
import { statementsOf } from '../service/statements.ts'
import { absolutePath, readPage, root, section, tableRows, tablesIn } from './pages.ts'

const architecture = readPage('docs/architecture.md')
const model = defineModel(resources, { maxPageSize: null })

const getWalk = '## A GET with filter and include'
const patchWalk = '## A PATCH'

/** Returns the code blocks of a language in a section of the page. */
function blocks(heading: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\n([^\`]*)\`\`\`$`, 'gm')
  return [...section(architecture, heading).matchAll(fenced)].map(([, block = '']) => block)
}

/** SQL on one line, as it is executed. */
function toLine(sql: string): string {
  return sql.trim().replace(/\s+/g, ' ')
}

/** SQL without line breaks and without the spaces that they leave. */
function withoutBreaks(sql: string): string {
  return sql.replace(/\s+/g, ' ').replaceAll('( ', '(').trim()
}

/** A request on the page. */
interface ShownRequest {
  readonly method: string
  readonly path: string
  readonly raw: string | undefined
}

function requestIn(heading: string): ShownRequest {
  const [head = '', raw] = (blocks(heading, 'http')[0] ?? '').trim().split('\n\n')
  const [method = '', path = ''] = head.split(' ')
  return { method, path, raw }
}

/** Returns the parsed query of the request in a section, and the type that its path names. */
function queryIn(heading: string) {
  const [, type = '', search = ''] = /^\/(\w+)s\?(.*)$/.exec(requestIn(heading).path) ?? []
  const resource = model.types.get(type)
  assert.ok(resource, type)
  return { query: parseQuery(search), resource }
}

/** The layers, in the order of the table on the page. */
const layers = tableRows(section(architecture, '## Layers')).map(([layer = '', imports = '']) => {
  const [, name = ''] = /^`src\/([\w-]+)\/`$/.exec(layer) ?? []
  return { name, imports }
})

describe('docs/architecture.md', () => {
  it('lists every layer', () => {
    const folders = readdirSync(absolutePath('src')).filter((name) => {
      const path = absolutePath(`src/${name}`)
      return statSync(path).isDirectory() && readdirSync(path).length > 0
    })
    assert.deepEqual(layers.map(({ name }) => name).sort(), folders.sort())
  })

  for (const [index, { name, imports }] of layers.entries()) {
    it(`lists the layers that src/${name}/ imports`, () => {
      const lower = layers.slice(0, index).map((layer) => layer.name)
      const allowed = imports === 'all of the above' ? lower : imports.split(', ')
      for (const imported of importedLayers(name)) assert.ok(allowed.includes(imported), imported)
    })
  }

  it('shows the parsed query and the query shape of the GET', () => {
    const { query, resource } = queryIn(getWalk)
    const [parsed = '', shape = ''] = blocks(getWalk, 'json')
    const fields = Object.fromEntries(query.fields)
    assert.partialDeepStrictEqual({ ...query, fields }, JSON.parse(parsed))
    const plan = planCollection(createPlanner(model), query, { resource })
    assert.deepEqual(JSON.parse(JSON.stringify(plan.shape)), JSON.parse(shape))
  })

  for (const { name: database } of databases.filter(({ name }) => name === 'PostgreSQL')) {
    it(`shows the statement of the GET on ${database}, with … for what is above it`, async (test) => {
      const [postgres] = databases.filter(({ name }) => name === database)
      assert.ok(postgres)
      const url = await filled(test, postgres, '')
      const [statement = '', ...others] = await statementsOn(url, requestIn(getWalk), test)
      assert.deepEqual(others, [])
      const parts = (blocks(getWalk, 'sql').at(-1) ?? '').split('…').map(withoutBreaks)
      assert.equal(parts.length, 3)
      let at = 0
      for (const part of parts) {
        const found = withoutBreaks(statement).indexOf(part, at)
        assert.ok(found !== -1, `${part}\nis not in\n${withoutBreaks(statement).slice(at)}`)
        at = found + part.length
      }
    })

    it(`shows functions that are called on ${database}`, long, async (test) => {
      const [postgres] = databases.filter(({ name }) => name === database)
      assert.ok(postgres)
      const url = await filled(test, postgres, '')
      const { isEntered } = await traceRequest(url, requestIn(getWalk), test)
      const walk = walkIn(getWalk, 1)
      assert.ok(walk.length >= 10)
      assert.deepEqual(
        walk.filter(([name, file]) => !isEntered(name, file)),
        [],
      )
    })
  }

  for (const heading of [getWalk, patchWalk]) {
    describe(heading.slice(3), () => {
      const expected = blocks(heading, 'sql').map(toLine)
      let statements: readonly string[]
      let isEntered: Trace['isEntered']
      before(async () => {
        ;({ statements, isEntered } = await traceRequest('sqlite::memory:', requestIn(heading)))
      })

      it('shows the statements on SQLite', () => {
        // The last statement of the GET is that on PostgreSQL.
        assert.deepEqual(statements, heading === getWalk ? expected.slice(0, -1) : expected)
      })

      for (const [name, file] of walkIn(heading)) {
        it(`shows that ${name} in ${file} is called`, () => {
          assert.ok(isEntered(name, file))
        })
      }
    })
  }

  describe('given repeated requests, when they are traced', long, () => {
    /** The traces of a GET, of a GET with new values, and of a PATCH: a title, and a line for each function. */
    let traces: readonly string[]
    before(async () => {
      const tool = absolutePath('tools/trace-request.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [tool])
      traces = stdout.split(/^(?=\S)/m)
      assert.equal(traces.length, 3, stdout)
    })

    const countOf = (trace = '') => Number(/: (\d+) functions/.exec(trace)?.[1])

    it('the page shows how many functions they enter', () => {
      const shown = [...architecture.matchAll(/ enters (\d+) /g)].map(([, number]) =>
        Number(number),
      )
      assert.equal(shown.length, 3)
      // A change that adds a function need not change the page.
      for (const [index, trace] of traces.entries())
        assert.ok(
          Math.abs(countOf(trace) - (shown[index] ?? 0)) <= 10,
          `${trace} on the page: ${shown}`,
        )
    })

    it('a GET with known values enters at most 138 functions, and a PATCH 140', () => {
      assert.ok(countOf(traces[0]) <= 138, traces.join())
      assert.ok(countOf(traces[2]) <= 140, traces.join())
    })

    for (const [heading, index] of [
      [getWalk, 0],
      [patchWalk, 2],
    ] as const) {
      it(`the functions of "${heading.slice(3)}" are in the order of the page`, () => {
        const lines = traces[index]?.split('\n').map((line) => line.replace(/ +× \d+$/, '')) ?? []
        const walk = walkIn(heading).map(([name, file]) => ({
          name,
          at: lines.findIndex((line) => line.startsWith(`  ${file}:`) && line.endsWith(` ${name}`)),
        }))
        const found = walk.filter(({ at }) => at !== -1)
        assert.ok(found.length >= 12, lines.join())
        assert.deepEqual(
          found.map(({ name }) => name),
          found.toSorted((one, other) => one.at - other.at).map(({ name }) => name),
        )
      })
    }
  })

  it('shows the statements of a stream', () => {
    const heading = '## Including related resources'
    const { query, resource } = queryIn(heading)
    const { shape } = planCollection(createPlanner(model), query, { resource })
    const { includedRows } = compileRead(shape, { model, dialect: sqliteDialect })
    assert.deepEqual(
      includedRows().map(({ sql }) => sql),
      blocks(heading, 'sql').map(toLine),
    )
  })
})

/** What a request executes on a database. */
interface Trace {
  readonly statements: readonly string[]
  /** Whether a function of a file is called. */
  readonly isEntered: (name: string, file: string) => boolean
}

/** Traces a request to a new service, by the precise coverage of V8. */
async function traceRequest(
  databaseUrl: string,
  request: ShownRequest,
  test?: TestContext,
): Promise<Trace> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    const statements = await statementsOn(databaseUrl, request, test, () =>
      session.post('Profiler.takePreciseCoverage'),
    )
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const isEntered = (name: string, file: string) => {
      const declarations = findDeclarations(name, file)
      return result
        .filter(({ url }) => url === new URL(file, root).href)
        .flatMap(({ functions }) => functions.map(({ ranges: [range] }) => range))
        .some(
          (range) =>
            range !== undefined &&
            range.count > 0 &&
            declarations.some(
              ([start, end]) => range.startOffset >= start && range.endOffset <= end,
            ),
        )
    }
    return { statements, isEntered }
  } finally {
    session.disconnect()
  }
}

/**
 * The functions in the table of a walk, in the order of the page.
 * @param index - of the table in its section: the first one is that on SQLite
 */
function walkIn(heading: string, index = 0): (readonly [name: string, file: string])[] {
  const tables = tablesIn(section(architecture, heading))
  const walk = tables.filter(({ head }) => head[0] === 'function')[index]
  const rows = walk?.rows.map((row) => row.map((cell) => cell.replaceAll('`', ''))) ?? []
  return rows.map(([name = '', file = '']) => [name, file])
}

/** Returns the SQL that a new service on a database executes for a request. `beforeRequest` runs after the start. */
async function statementsOn(
  databaseUrl: string,
  { method, path, raw }: ShownRequest,
  test?: TestContext,
  beforeRequest?: () => Promise<unknown>,
): Promise<string[]> {
  const service = await startService({ port: 0, databaseUrl, logLevel: 'silent' }, true)
  const client = connect(service.url)
  const close = () => {
    client.close()
    return service.close()
  }
  test?.after(close)
  await beforeRequest?.()
  try {
    return await statementsOf(async () => {
      const { status, text } = await client.send(method, path, { raw })
      assert.equal(status, 200, text)
    })
  } finally {
    if (test === undefined) await close()
  }
}

/** Returns the first and the last offsets of the declarations of a name in a file; nested functions are within them. */
function findDeclarations(name: string, file: string): (readonly [start: number, end: number])[] {
  const source = readPage(file)
  const pattern = `^( *)(?:export |async |function\\*? |static |readonly |\\*)*#?${name}(?:[(<]|: ).*$`
  return [...source.matchAll(new RegExp(pattern, 'gm'))].map(({ index, 1: indent = '' }) => {
    const end = source.indexOf(`\n${indent}}`, index)
    return [index, end + 2 + indent.length]
  })
}

/** Returns the layers that the files of a layer import. */
function importedLayers(layer: string): Set<string> {
  const folder = `src/${layer}`
  const files = readdirSync(absolutePath(folder), { recursive: true, encoding: 'utf8' })
  const layersSeen = new Set<string>()
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const depth = file.split(/[/\\]/).length
    const up = new RegExp(` from '${'\\.\\./'.repeat(depth)}([\\w-]+)/`, 'g')
    for (const [, other = ''] of readPage(`${folder}/${file}`).matchAll(up)) layersSeen.add(other)
  }
  return layersSeen
}

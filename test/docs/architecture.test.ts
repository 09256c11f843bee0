import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { resources } from '../../service/resources/index.ts'
import { startService } from '../../service/start-service.ts'
import { defineModel } from '../../src/index.ts'
import { parseQuery } from '../../src/parse/query.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { planCollection } from '../../src/plan/read.ts'
import { connect } from '../client.ts'
import { databases } from '../databases.ts'
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
const layers = tableRows(section(architecture, '## Layers')).flatMap(
  ([folders = '', imports = '']) =>
    folders.split(', ').map((folder) => {
      const [, name = ''] = /^`src\/([\w-]+)\/`$/.exec(folder) ?? []
      return { name, imports }
    }),
)

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

  it('has at most 200 lines', () => {
    assert.ok(architecture.split('\n').length <= 201)
  })

  it('shows parts of the query shape of the GET', () => {
    const { query, resource } = queryIn(getWalk)
    const [shape = ''] = blocks(getWalk, 'json')
    const plan = planCollection(createPlanner(model), query, { resource })
    assert.partialDeepStrictEqual(JSON.parse(JSON.stringify(plan.shape)), JSON.parse(shape))
  })

  it('quotes every measure of npm run measure', () => {
    const block = section(architecture, '## Measures')
    const measures = readPage('tools/measure.ts').matchAll(/\bprint\(\s*['`]([\w ]+)/g)
    for (const [, measure = ''] of measures) assert.ok(block.includes(measure), measure)
    for (const { name } of databases) assert.ok(block.includes(`${name}: PATCH`), name)
  })

  for (const heading of [getWalk, patchWalk]) {
    describe(heading.slice(3), () => {
      const expected = blocks(heading, 'sql').flatMap((block) => block.split(';\n').map(toLine))
      let statements: readonly string[]
      let isEntered: Trace['isEntered']
      before(async () => {
        ;({ statements, isEntered } = await traceRequest(requestIn(heading)))
      })

      it('shows the statements on SQLite, if any', () => {
        if (expected.length > 0) assert.deepEqual(statements, expected)
      })

      for (const [name, file] of walkIn(heading)) {
        it(`shows that ${name} in ${file} is called`, () => {
          assert.ok(isEntered(name, file))
        })
      }
    })
  }

  describe('given repeated requests, when they are traced', long, () => {
    /** The traces by their titles: a line for each function. */
    let traces: ReadonlyMap<string, string>
    const trace = async () => {
      const tool = absolutePath('tools/trace-request.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [tool])
      return new Map(
        stdout.split(/^(?=\S)/m).map((each) => [each.slice(0, each.indexOf(':')), each]),
      )
    }
    before(async () => {
      traces = await trace()
    })

    const get = 'GET with filter and include, repeated'
    const patch = 'PATCH of one attribute'
    const isShort = (of: ReadonlyMap<string, string>, title: string, most: number) =>
      Number(/: (\d+) functions/.exec(of.get(title) ?? '')?.[1]) <= most

    for (const [title, most] of [
      [get, 148],
      [patch, 153],
    ] as const)
      it(`${title}: enters at most ${most} functions`, async () => {
        // On a busy machine a request may also do what happens now and then, such as a look whether the file was replaced.
        const isEnough =
          isShort(traces, title, most) ||
          isShort(await trace(), title, most) ||
          isShort(await trace(), title, most)
        assert.ok(isEnough, String(traces.get(title)))
      })

    for (const [heading, title] of [
      [getWalk, get],
      [patchWalk, patch],
    ] as const) {
      it(`the functions of "${heading.slice(3)}" are in the order of the page`, () => {
        const lines =
          traces
            .get(title)
            ?.split('\n')
            .map((line) => line.replace(/ +× \d+$/, '')) ?? []
        const walk = walkIn(heading).map(([name, file]) => ({
          name,
          at: lines.findIndex((line) => line.startsWith(`  ${file}:`) && line.endsWith(` ${name}`)),
        }))
        const found = walk.filter(({ at }) => at !== -1)
        assert.ok(found.length >= 8, lines.join())
        assert.deepEqual(
          found.map(({ name }) => name),
          found.toSorted((one, other) => one.at - other.at).map(({ name }) => name),
        )
      })
    }
  })
})

/** What a request executes on a database. */
interface Trace {
  readonly statements: readonly string[]
  /** Whether a function of a file is called. */
  readonly isEntered: (name: string, file: string) => boolean
}

/** Traces a request to a new service on SQLite, by the precise coverage of V8. */
async function traceRequest(request: ShownRequest): Promise<Trace> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    const statements = await statementsOn(request, () =>
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

/** The functions in the table of a walk, in the order of the page. */
function walkIn(heading: string): (readonly [name: string, file: string])[] {
  const tables = tablesIn(section(architecture, heading))
  const walk = tables.find(({ head }) => head[0] === 'function')
  const rows = walk?.rows.map((row) => row.map((cell) => cell.replaceAll('`', ''))) ?? []
  return rows.map(([name = '', file = '']) => [name, file])
}

/** Returns the SQL that a new service executes for a request. `beforeRequest` runs after the start. */
async function statementsOn(
  { method, path, raw }: ShownRequest,
  beforeRequest: () => Promise<unknown>,
): Promise<string[]> {
  const options = { port: 0, databaseUrl: 'sqlite::memory:', logLevel: 'silent' }
  const service = await startService(options, true)
  const client = connect(service.url)
  await beforeRequest()
  try {
    return await statementsOf(async () => {
      const { status, text } = await client.send(method, path, { raw })
      assert.equal(status, 200, text)
    })
  } finally {
    client.close()
    await service.close()
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

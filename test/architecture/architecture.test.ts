import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { mutants } from '../property/access/mutants.ts'
import { cursorMutants } from '../property/cursors/cursor-mutants.ts'
import { historyMutants } from '../property/histories/history-mutants.ts'
import { includeMutants } from '../property/includes/include-mutants.ts'
import { type Source, sourcesIn, withoutComments } from './sources.ts'

const engine = sourcesIn('src')

/** The folders that use the engine by its package name, and the libraries that each may import. */
const consumers: Readonly<Record<string, readonly string[]>> = {
  service: [],
  process: ['fastest-levenshtein'],
  cli: ['irregular-plurals'],
  examples: [
    ...['zod', 'jose', 'cookie', 'fastify', 'express', 'hono', 'hono/cors', 'hono/secure-headers'],
    ...['hono/utils/cookie', '@fastify/cookie', '@fastify/cors', '@fastify/helmet'],
    ...['@fastify/rate-limit', '@fastify/swagger'],
  ],
}
const everything = [...engine, ...Object.keys(consumers).flatMap((folder) => sourcesIn(folder))]
const tests = sourcesIn('test')
/** The benchmark, without the code that ZenStack generates, and the tools. */
const benchmarkAndTools = [...sourcesIn('bench'), ...sourcesIn('tools')].filter(
  ({ file }) => !file.startsWith('bench/peers/zenstack/'),
)

/** Matches an exported declaration, with its name. */
const exported =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm

/** The layers of the engine: the other layers and the libraries that each may import. */
// biome-ignore format: a table, one layer a row
const layers: Readonly<Record<string, Readonly<{ layers: readonly string[]; outside: readonly (string | RegExp)[] }>>> = {
  observe:   { layers: [],                                                               outside: ['node:async_hooks', 'node:diagnostics_channel'] },
  errors:    { layers: [],                                                               outside: ['fastest-levenshtein'] },
  auth:      { layers: ['errors', 'model'],                                              outside: ['jose', /^node:/] },
  client:    { layers: ['model', 'parse/format-query.ts', 'parse/format-document.ts', 'parse/format-operations.ts'], outside: [] },
  model:     { layers: ['errors'],                                                       outside: ['kysely', '@standard-schema/spec', 'node:async_hooks', 'node:crypto'] },
  parse:     { layers: ['errors', 'model/digest.ts', 'model/kinds/json.ts', 'model/media-types.ts', 'model/declare/if-match.ts', 'model/declare/more-members.ts'], outside: [] },
  plan:      { layers: ['errors', 'model', 'parse'],                                     outside: ['lru-cache'] },
  describe:  { layers: ['model', 'plan'],                                                outside: [] },
  sql:       { layers: ['errors', 'observe', 'model', 'plan'],                                      outside: ['kysely', 'lru-cache', 'node:diagnostics_channel'] },
  sqlite:    { layers: ['errors', 'observe', 'model', 'plan', 'sql'],                               outside: ['kysely', 'lru-cache', /^node:/] },
  postgres:  { layers: ['errors', 'observe', 'model', 'plan', 'sql'],                               outside: ['kysely', 'lru-cache', 'pg', /^node:/] },
  serialize: { layers: ['errors', 'model', 'plan'],                                      outside: [] },
  lifecycle: { layers: ['errors', 'model', 'plan', 'sql'],                             outside: ['@standard-schema/spec'] },
  endpoints: { layers: ['errors', 'observe', 'model', 'parse', 'plan', 'describe', 'sql', 'serialize', 'lifecycle'], outside: ['lru-cache', 'node:diagnostics_channel', 'node:timers/promises', 'node:v8', 'node:zlib'] },
  'in-process': { layers: ['errors', 'model', 'parse', 'plan', 'sql', 'serialize', 'lifecycle', 'endpoints'], outside: ['node:async_hooks'] },
  docs:      { layers: ['openapi'],                                                         outside: [/^node:/] },
  openapi:   { layers: ['errors', 'model', 'parse', 'plan', 'describe', 'endpoints'],    outside: [] },
  telemetry: { layers: ['observe', 'model/declare/request-context.ts', 'http/bounds/server-factory.ts'], outside: ['@opentelemetry/api', 'lru-cache', 'prom-client', /^node:/] },
  tools:     { layers: ['errors', 'model', 'plan', 'describe', 'sql', 'lifecycle', 'endpoints', 'http', 'sqlite/database.ts', 'postgres/database.ts'], outside: [] },
  html:      { layers: ['errors', 'model', 'parse', 'describe', 'endpoints', 'http', 'tools/explain-read.ts', 'sql/read/explain.ts'], outside: ['decode-named-character-reference', 'marked', 'preact', 'preact-render-to-string', /^node:/] },
  http:      { layers: ['errors', 'observe', 'model', 'parse', 'serialize', 'describe', 'endpoints', 'in-process/action-calls.ts', 'openapi', 'tools/list-access.ts', 'sql/read/explain.ts'], outside: ['fastify', 'find-my-way', /^node:/] },
}
/** The folders of the databases. */
const databases = ['src/sqlite/', 'src/postgres/']

const entryPoint = 'src/index.ts'
/** The files of the subpaths of the package. */
const entryPoints = Object.values<string>(manifest.exports).map((path) => path.slice(2))
const layerOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1]

describe('The layers of the engine', () => {
  it('are these folders and one entry point', () => {
    const found = new Set(engine.map(({ file }) => layerOf(file) ?? file))
    assert.deepEqual([...found].sort(), [...Object.keys(layers), entryPoint].sort())
  })

  it('import only from the layers below, and only their own libraries', () => {
    const violations = engine
      .filter(({ file }) => file !== entryPoint)
      .flatMap(({ file, imports }) => {
        return imports
          .filter((each) => !mayImport(file, each))
          .map(({ from }) => `${file}: ${from}`)
      })
    assert.deepEqual(violations, [])
  })

  for (const [consumer, outside] of Object.entries(consumers)) {
    it(`${consumer}/ imports the engine by its package name`, () => {
      const violations = sourcesIn(consumer).flatMap(({ file, imports }) =>
        imports
          .filter((each) => !mayConsume(consumer, outside, each))
          .map(({ from }) => `${file}: ${from}`),
      )
      assert.deepEqual(violations, [])
    })
  }

  it('do not import the entry point, which only re-exports', () => {
    const inside = engine.flatMap(({ file, imports }) => imports.map((each) => [file, each.file]))
    assert.deepEqual(
      inside.filter(([, to]) => to === entryPoint),
      [],
    )
    const [index] = engine.filter(({ file }) => file === entryPoint)
    assert.deepEqual(
      index?.imports.filter(({ file }) => file === undefined),
      [],
    )
    assert.equal(index?.code.replace(/^export (type )?\{[^}]*\} from ''\s*/gm, '').trim(), '')
  })

  it('name no database but in its folder, in the list of names, and where functions get a name', () => {
    const naming = engine.filter(({ file, text }) => {
      const isOfDatabase = databases.some((folder) => file.startsWith(folder))
      return !isOfDatabase && /sqlite|postgres/i.test(withoutComments(text))
    })
    const expected = ['src/model/database-names.ts', 'src/tools/databases.ts']
    assert.deepEqual(
      naming.map(({ file }) => file),
      expected,
    )
  })

  it('import nothing of a database elsewhere but its contract', () => {
    const outside = engine.flatMap(({ file, imports }) =>
      imports.flatMap(({ file: to = '' }) => {
        const folder = databases.find((each) => to.startsWith(each))
        return folder === undefined || file.startsWith(folder) ? [] : [`${file}: ${to}`]
      }),
    )
    assert.deepEqual(outside, [
      'src/tools/databases.ts: src/postgres/database.ts',
      'src/tools/databases.ts: src/sqlite/database.ts',
    ])
  })

  it('have no import cycles, types included', () => {
    assert.deepEqual(cycles([...everything, ...benchmarkAndTools, ...tests]), [])
  })

  it('import only existing files, with their extension', () => {
    const files = new Set([...everything.map(({ file }) => file), 'package.json'])
    const astray = everything.flatMap(({ file, imports }) =>
      imports
        .filter((each) => each.file !== undefined && !files.has(each.file))
        .map(({ from }) => `${file}: ${from}`),
    )
    assert.deepEqual(astray, [])
  })
})

describe('The mutants of the engine', () => {
  // The files of `test/long/` run them.
  it('replace a text that is once in its file', () => {
    const replacements = historyMutants.flatMap((mutant) => mutant.replacements)
    const all = [...mutants, ...cursorMutants, ...includeMutants, ...replacements]
    const wrong = all.filter(({ file, from }) => {
      const source = engine.find((each) => each.file === file)
      return source?.text.split(from).length !== 2
    })
    assert.deepEqual(wrong, [])
  })
})

describe('Every source file', () => {
  /** The violations in every file, each with the file's name. */
  const violations = (find: (source: Source) => Iterable<string>) =>
    [...everything, ...benchmarkAndTools].flatMap((source) =>
      [...find(source)].map((each) => `${source.file}: ${each}`),
    )

  it('has at most 600 lines', () => {
    const long = violations(({ text }) => {
      const lines = text.split('\n').length - 1
      return lines > 600 ? [`${lines} lines`] : []
    })
    assert.deepEqual(long, [])
  })

  it('of the store, the lifecycle and the plan has functions of at most 30 lines', () => {
    const found = engine.filter(({ file }) =>
      /^src\/(?:sql|sqlite|postgres|lifecycle|plan)\//.test(file),
    )
    const long = found.flatMap(({ file, text }) =>
      functionsIn(text).flatMap(({ name, lines }) => (lines > 30 ? [`${file}: ${name}`] : [])),
    )
    assert.deepEqual(long, [])
    const names = found.flatMap(({ text }) => functionsIn(text))
    assert.ok(names.length > 1000, String(names.length))
  })

  it('documents every export', () => {
    assert.deepEqual(violations(undocumented), [])
  })

  it('exports only what another file imports', () => {
    const all = [...everything, ...benchmarkAndTools, ...tests]
    const importers = [...all, ...sourcesIn('bench/peers'), ...sourcesIn('service', '*.js')]
    const imported = Map.groupBy(
      importers.flatMap(({ imports }) => imports),
      ({ file }) => file,
    )
    // The subpaths of the package export to applications, and these files of the tests to Node.js, to a written program and to the compiler.
    const isEntry = (file: string) =>
      entryPoints.includes(file) ||
      ['test/start-postgres.ts', 'test/import-tests.ts', 'test/http-client/types.ts'].includes(
        file,
      ) ||
      file.startsWith('test/package/sample-project/')
    const inner = all.filter(({ file }) => !isEntry(file))
    const unused = inner.flatMap(({ file, code }) =>
      [...withoutTemplates(code).matchAll(exported)].flatMap(([, name = '']) =>
        imported.get(file)?.some(({ names }) => names?.includes(name) ?? true)
          ? []
          : [`${file}: ${name}`],
      ),
    )
    assert.deepEqual(unused, [])
  })

  it('exports a name from one file of src only, or for each database', () => {
    const withoutDatabase = (file: string) => file.replace(/^src\/(sqlite|postgres)\//, '')
    const names = engine.flatMap(({ file, code }) =>
      [...withoutTemplates(code).matchAll(exported)].map(([, name = '']) => ({ file, name })),
    )
    const repeated = [...Map.groupBy(names, ({ name }) => name)].filter(
      ([, places]) => new Set(places.map(({ file }) => withoutDatabase(file))).size > 1,
    )
    assert.deepEqual(
      repeated.map(([name, places]) => [name, ...places.map(({ file }) => file)]),
      [],
    )
  })

  it('has no default export, no any, and no TODO', () => {
    const left = /\b(?:TODO|FIXME|XXX|HACK)\b|@ts-(?:ignore|expect-error|nocheck)/g
    const anyType = /(?:[:<|&,=]|\bas)\s*any\b(?!\s*[:(])/g
    assert.deepEqual(
      violations(({ text }) => text.match(left) ?? []),
      [],
    )
    // The baseline does not validate the bodies of requests.
    const unvalidated = 'bench/baseline/server.ts'
    assert.deepEqual(
      violations(({ file, code }) => (file !== unvalidated && code.match(anyType)) || []),
      [],
    )
    assert.deepEqual(
      violations(({ code }) => code.match(/\bexport\s+default\b/g) ?? []),
      [],
    )
  })

  it('has no mutable state of its module', () => {
    const state =
      /^(?:export )?let .*|^(?:export )?const \w+(?:: [^=]+)? = (?:\[\]|new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|new LRUCache.*)$/gm
    assert.deepEqual(
      violations(({ code }) => code.match(state) ?? []),
      [],
    )
  })

  it('of parse, plan and serialize has no clock, no random values and no I/O', () => {
    const impure =
      /\b(?:Date\.now|new Date\(\)|performance\.|Math\.random|crypto\.|process\.|fetch\(|setTimeout|setInterval)/g
    const found = engine.flatMap(({ file, code }) =>
      /^src\/(?:parse|plan|serialize)\//.test(file)
        ? (code.match(impure) ?? []).map((each) => `${file}: ${each}`)
        : [],
    )
    assert.deepEqual(found, [])
  })

  it('is named in kebab-case', () => {
    const kebab = /^[a-z]+(-[a-z]+)*(\.ts)?$/
    const odd = violations(({ file }) => file.split('/').filter((part) => !kebab.test(part)))
    assert.deepEqual(odd, [])
  })
})

describe('Every test', () => {
  it('is more than a loop over rows: each row is a test of its own, so that the first failure hides none', () => {
    const found = tests.flatMap(({ file, text }) =>
      loopsOverRows(text).map((line) => `${file}: ${line}`),
    )
    assert.deepEqual(found, [])
  })
})

function mayImport(file: string, { from, file: to }: Source['imports'][number]): boolean {
  const layer = layerOf(file) ?? ''
  const allowed = layers[layer]
  if (allowed === undefined) return false
  if (to !== undefined)
    return [layer, ...allowed.layers].some((each) => each === layerOf(to) || to === `src/${each}`)
  return allowed.outside.some((each) =>
    typeof each === 'string' ? each === from : each.test(from),
  )
}

/** What the command and the service share: how a process serves. */
const shared = 'process'

/** A consumer imports its own files, those that all share, the engine and its libraries; its version comes from the manifest. */
function mayConsume(
  consumer: string,
  outside: readonly string[],
  { from, file }: Source['imports'][number],
): boolean {
  if (file !== undefined)
    return file === 'package.json' || [consumer, shared].some((each) => file.startsWith(`${each}/`))
  return /^(?:lapidary(?:\/[a-z]+)?|node:[a-z/_]+)$/.test(from) || outside.includes(from)
}

/** The functions and methods of a formatted file, with their lines: each ends with a brace at the indentation of its start. */
function functionsIn(text: string): Readonly<{ name: string; lines: number }>[] {
  const start =
    /^( *)(?:export )?(?:(?:static|readonly|override) )?(?:async )?(?:function\*? |get |set |\*|(?=#?\w+(?:<.*>)?\(.*[({]$))#?(\w+)/gm
  return [...text.matchAll(start)].flatMap(({ index, 1: indent = '', 2: name = '' }) => {
    if (['if', 'for', 'while', 'switch', 'super', 'return', 'catch'].includes(name)) return []
    const end = text.indexOf(`\n${indent}}`, index)
    return end === -1 ? [] : [{ name, lines: text.slice(index, end).split('\n').length + 1 }]
  })
}

/** The tests of a formatted file whose only statement is a loop over rows, e.g. `for (const [sent, status] of cases)`. */
function loopsOverRows(text: string): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!/^ *(?:it|rule)\(/.test(line)) return []
    const start = lines.findIndex((each, index) => index >= at && each.endsWith('=> {'))
    const [indent = ''] = /^ */.exec(lines[start] ?? '') ?? []
    const end = lines.findIndex((each, index) => index > start && each.startsWith(`${indent}}`))
    const statements = lines
      .slice(start + 1, end)
      .filter(
        (each) => each.startsWith(`${indent}  `) && /^[^ })\]]/.test(each.slice(indent.length + 2)),
      )
    const isLoop = /^ *for \(const \[.*\] of (?:\[|(?!await )\w+\b(?![.(]))/.test(
      statements[0] ?? '',
    )
    return statements.length === 1 && isLoop ? [line.trim()] : []
  })
}

/** Code without the insides of its template literals, which may be programs. */
function withoutTemplates(code: string): string {
  return code.replace(/`(?:[^`\\]|\\.)*`/gs, '``')
}

/** The exports without a doc comment right above; a `biome-ignore` line may be in between. A line with `${` is a part of a text. */
function undocumented({ file, text }: Source): string[] {
  if (file === entryPoint) return []
  const lines = text.split('\n').filter((line) => !line.startsWith('// biome-ignore'))
  return lines.filter((line, at) => {
    return /^export (?!.*\$\{)/.test(line) && !lines[at - 1]?.trimEnd().endsWith('*/')
  })
}

/** Every import cycle, once. */
function cycles(sources: readonly Source[]): string[] {
  const importsOf = new Map(
    sources.map(({ file, imports }) => [file, imports.map(({ file: to }) => to)]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const to of importsOf.get(file) ?? []) if (to !== undefined) walk(to, [...path, file])
    done.add(file)
  }
  for (const { file } of sources) walk(file, [])
  return found
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Source, sourcesIn } from './sources.ts'

const engine = sourcesIn('src')

/** Those who enter by the door, and what each brings from outside. */
const guests: Readonly<Record<string, readonly string[]>> = {
  service: ['valibot'],
  cli: [],
  examples: ['zod'],
}
const everything = [...engine, ...Object.keys(guests).flatMap(sourcesIn)]

/** The rooms of the engine: what each may import of the others, and of what comes from outside. */
// biome-ignore format: a table, one room a row
const rooms: Readonly<Record<string, Readonly<{ rooms: readonly string[]; outside: readonly (string | RegExp)[] }>>> = {
  errors:    { rooms: [],                                                               outside: ['fastest-levenshtein'] },
  model:     { rooms: ['errors'],                                                       outside: ['kysely', '@standard-schema/spec'] },
  parse:     { rooms: ['errors', 'model/json.ts'],                                      outside: [] },
  plan:      { rooms: ['errors', 'model', 'parse'],                                     outside: ['lru-cache'] },
  store:     { rooms: ['errors', 'model', 'plan'],                                      outside: ['kysely', 'lru-cache'] },
  serialize: { rooms: ['errors', 'model', 'plan'],                                      outside: [] },
  lifecycle: { rooms: ['errors', 'model', 'plan', 'store'],                             outside: ['@standard-schema/spec'] },
  handlers:  { rooms: ['errors', 'model', 'parse', 'plan', 'store', 'serialize', 'lifecycle'], outside: [] },
  http:      { rooms: ['errors', 'model', 'parse', 'serialize', 'handlers'],            outside: ['fastify', 'pino', /^node:/] },
}
/** Only here: a database's driver, what of Node it needs, and what is remembered of a database. */
const drivers = {
  folders: ['src/store/sqlite/', 'src/store/postgres/'],
  outside: [/^node:/, 'pg', 'lru-cache'],
}

const door = 'src/index.ts'
const roomOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1]

describe('The house', () => {
  it('has these rooms and a door, and nothing beside them', () => {
    const found = new Set(engine.map(({ file }) => roomOf(file) ?? file))
    assert.deepEqual([...found].sort(), [...Object.keys(rooms), door].sort())
  })

  it('look down: a room imports what stands below it, and from outside what is its own', () => {
    const breaches = engine
      .filter(({ file }) => file !== door)
      .flatMap(({ file, imports }) => {
        return imports
          .filter((each) => !mayImport(file, each))
          .map(({ from }) => `${file}: ${from}`)
      })
    assert.deepEqual(breaches, [])
  })

  for (const [guest, outside] of Object.entries(guests)) {
    it(`${guest}/ enters by the door, by the engine’s name`, () => {
      const breaches = sourcesIn(guest).flatMap(({ file, imports }) =>
        imports
          .filter((each) => !mayBring(guest, outside, each))
          .map(({ from }) => `${file}: ${from}`),
      )
      assert.deepEqual(breaches, [])
    })
  }

  it('nobody goes out by the door: it only leads in', () => {
    const inside = engine.flatMap(({ file, imports }) => imports.map((each) => [file, each.file]))
    assert.deepEqual(
      inside.filter(([, to]) => to === door),
      [],
    )
    const [index] = engine.filter(({ file }) => file === door)
    assert.deepEqual(
      index?.imports.filter(({ file }) => file === undefined),
      [],
    )
    assert.equal(index?.code.replace(/^export (type )?\{[^}]*\} from ''\s*/gm, '').trim(), '')
  })

  it('there are no circles, types included', () => {
    assert.deepEqual(circles(everything), [])
  })

  it('every import leads to a file that is there, and says its extension', () => {
    const files = new Set([...everything.map(({ file }) => file), 'package.json'])
    const astray = everything.flatMap(({ file, imports }) =>
      imports
        .filter((each) => each.file !== undefined && !files.has(each.file))
        .map(({ from }) => `${file}: ${from}`),
    )
    assert.deepEqual(astray, [])
  })
})

describe('Every file of the engine and its guests', () => {
  /** The breaches of every file, each with the file's name. */
  const breaches = (find: (source: Source) => Iterable<string>) =>
    everything.flatMap((source) => [...find(source)].map((each) => `${source.file}: ${each}`))

  it('has at most 400 lines', () => {
    const long = breaches(({ text }) => {
      const lines = text.split('\n').length - 1
      return lines > 400 ? [`${lines} lines`] : []
    })
    assert.deepEqual(long, [])
  })

  it('says of every export what it is, right above it', () => {
    assert.deepEqual(breaches(undocumented), [])
  })

  it('has no default export, no any, and leaves nothing to do', () => {
    const left = /\b(?:TODO|FIXME|XXX|HACK)\b|@ts-(?:ignore|expect-error|nocheck)/g
    const anyType = /(?:[:<|&,=]|\bas)\s*any\b(?!\s*[:(])/g
    assert.deepEqual(
      breaches(({ text }) => text.match(left) ?? []),
      [],
    )
    assert.deepEqual(
      breaches(({ code }) => code.match(anyType) ?? []),
      [],
    )
    assert.deepEqual(
      breaches(({ code }) => code.match(/\bexport\s+default\b/g) ?? []),
      [],
    )
  })

  it('is named in kebab-case', () => {
    const kebab = /^[a-z]+(-[a-z]+)*(\.ts)?$/
    const odd = breaches(({ file }) => file.split('/').filter((part) => !kebab.test(part)))
    assert.deepEqual(odd, [])
  })
})

function mayImport(file: string, { from, file: to }: Source['imports'][number]): boolean {
  const room = roomOf(file) ?? ''
  const allowed = rooms[room]
  if (allowed === undefined) return false
  if (to !== undefined)
    return [room, ...allowed.rooms].some((each) => each === roomOf(to) || to === `src/${each}`)
  const outside = [
    ...allowed.outside,
    ...(drivers.folders.some((folder) => file.startsWith(folder)) ? drivers.outside : []),
  ]
  return outside.some((each) => (typeof each === 'string' ? each === from : each.test(from)))
}

/** A guest keeps to itself; the version it tells of itself stands in the manifest. */
function mayBring(
  guest: string,
  outside: readonly string[],
  { from, file }: Source['imports'][number],
): boolean {
  if (file !== undefined) return file === 'package.json' || file.startsWith(`${guest}/`)
  return /^(?:lapidary(?:\/[a-z]+)?|node:[a-z/_]+)$/.test(from) || outside.includes(from)
}

/** The exports that no doc comment stands right above; a `biome-ignore` line may stand between. */
function undocumented({ file, text }: Source): string[] {
  if (file === door) return []
  const lines = text.split('\n').filter((line) => !line.startsWith('// biome-ignore'))
  return lines.filter((line, at) => {
    return line.startsWith('export ') && !lines[at - 1]?.trimEnd().endsWith('*/')
  })
}

/** Every way from a file back to itself, once. */
function circles(sources: readonly Source[]): string[] {
  const leadsTo = new Map(
    sources.map(({ file, imports }) => [file, imports.map(({ file: to }) => to)]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (done.has(file) || way.includes(file)) return
    for (const to of leadsTo.get(file) ?? []) if (to !== undefined) walk(to, [...way, file])
    done.add(file)
  }
  for (const { file } of sources) walk(file, [])
  return found
}

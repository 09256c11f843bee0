import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'

/**
 * Measures how long TypeScript takes for the types of the typed client over 100 resource types, with the two releases of TypeScript
 * that the package supports.
 *
 *     node bench/compile-time.ts [--types 100] [--rounds 3]
 *
 * The time is the shortest total time of all rounds, so that other load on the machine affects it least. A program that only imports
 * the package takes most of it: TypeScript reads its own libraries, and the sources of the package.
 */
const { values } = parseArgs({
  options: {
    types: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
  },
})
const types = Number(values.types)
const rounds = Number(values.rounds)
const indexes = Array.from({ length: types }, (_, index) => index)
const nameOf = (index: number) => `type${(index + types) % types}`

/** Writes a resource type with fields of every form, and relationships to three other types. */
const writeType = (index: number) => `
const ${nameOf(index)} = resource('${nameOf(index)}', {
  path: '/${nameOf(index)}',
  table: '${nameOf(index)}',
  fields: {
    name: attribute(text, { required: true }),
    size: attribute(integer, { required: true, default: 0 }),
    price: attribute(decimal()),
    made_on: attribute(date, { access: 'immutable' }),
    secret: attribute(text, { access: 'write-only' }),
    next: toOne('${nameOf(index + 1)}', { column: 'next_id' }),
    previous: toMany('${nameOf(index - 1)}', { column: 'next_id' }),
    far: toOne('${nameOf(index + 7)}', { column: 'far_id' }),
  },
})`

/** Writes a read and a write of a type, with a nested filter, two include paths and a fieldset. */
const writeCalls = (index: number) => `
export async function use${index}(): Promise<unknown> {
  const { data } = await client.${nameOf(index)}.list({
    filter: { name: { startswith: 'x' }, next: { has: { size: { gt: 1 }, previous: { any: { name: 'x' } } } } },
    sort: ['-size', 'next.name'],
    include: ['next.far', 'previous.next'],
    fields: { ${nameOf(index)}: ['name', 'next', 'previous'] },
  })
  const created = await client.${nameOf(index)}.create({ name: 'x', next: '1' }, { include: ['far.next'] })
  return [data[0]?.next?.far?.name, created.far?.next?.size.toFixed()]
}`

const imports = `import { attribute, date, decimal, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import { createClient } from 'lapidary/client'
export const imported = [attribute, createClient, date, decimal, defineModel, integer, resource, text, toMany, toOne]`
const declarations = `${indexes.map(writeType).join('\n')}
export const model = defineModel([${indexes.map(nameOf).join(', ')}])`
const creation = "const client = createClient<typeof model>({ url: 'http://localhost' })"

/** Each program has what the one before it has. */
const programs: readonly (readonly [title: string, text: string])[] = [
  ['an empty program', 'export {}'],
  ['imports of the package', imports],
  [`a model of ${types} types`, [imports, declarations].join('\n')],
  [
    'the client, calls of one type',
    [imports, declarations, creation, ...indexes.slice(0, 1).map(writeCalls)].join('\n'),
  ],
  [
    `the client, calls of ${types} types`,
    [imports, declarations, creation, ...indexes.map(writeCalls)].join('\n'),
  ],
]

/** Finds the compilers: that of the repository, and the oldest one that the package supports. */
function findCompilers(): readonly string[] {
  const own = createRequire(import.meta.url)
  const oldest = createRequire(own.resolve('oldest-releases/package.json'))
  return [own, oldest].map((require) => {
    const manifest = require.resolve('typescript/package.json')
    return join(dirname(manifest), 'bin/tsc')
  })
}

/** @returns seconds, and the version of the compiler */
async function compile(compiler: string, folder: string): Promise<number> {
  const args = [compiler, '--project', folder, '--pretty', 'false', '--extendedDiagnostics']
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  const [, seconds] = /^Total time: +([\d.]+)s$/m.exec(String(stdout)) ?? []
  if (seconds === undefined || /error TS/.test(String(stdout))) throw new Error(String(stdout))
  return Number(seconds)
}

const parent = join(import.meta.dirname, '.cache')
await mkdir(parent, { recursive: true })
const folder = await mkdtemp(join(parent, 'compile-time-'))
try {
  const config = { extends: '../../../tsconfig.json', include: ['program.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const compiler of findCompilers()) {
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--version'])
    console.log(`TypeScript ${stdout.trim().replace('Version ', '')}`)
    let before = 0
    for (const [title, text] of programs) {
      await writeFile(join(folder, 'program.ts'), text)
      const times: number[] = []
      for (let round = 0; round < rounds; round += 1) times.push(await compile(compiler, folder))
      const time = Math.min(...times)
      const added = before === 0 ? '' : `, ${(time - before).toFixed(2)} s more`
      console.log(`  ${title}: ${time.toFixed(2)} s${added}`)
      before = time
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

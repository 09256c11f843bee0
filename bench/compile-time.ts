import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { imports, name, typeCount, writeProgram } from '../test/in-process/large-model.ts'

/**
 * Measures the CPU time that TypeScript takes for the types of the typed client over 100 resource types, with the two releases of
 * TypeScript that the package supports. The programs use the built package, as applications do.
 *
 *     node bench/compile-time.ts [--rounds 3]
 *
 * The time is the smallest CPU time of all rounds, so that other load on the machine affects it least. An empty program takes a part
 * of it: TypeScript starts and reads its own libraries and those of Node.js.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)

/** Writes a read and a write of a type, with a nested filter, two include paths and a fieldset. */
const writeCalls = (index: number) => `
export async function use${index}(): Promise<unknown> {
  const { data } = await client.${name(index)}.list({
    filter: { name: { startswith: 'x' }, next: { has: { size: { gt: 1 }, previous: { any: { name: 'x' } } } } },
    sort: ['-size', 'next.name'],
    include: ['next.far', 'previous.next'],
    fields: { ${name(index)}: ['name', 'next', 'previous'] },
  })
  const created = await client.${name(index)}.create({ name: 'x', next: '1' }, { include: ['far.next'] })
  return [data[0]?.next?.far?.name, created.far?.next?.size.toFixed()]
}`

const creation = "const client = createClient<typeof model>({ url: 'http://localhost' })"

/** Each program has what the one before it has. */
const programs: readonly (readonly [title: string, text: string])[] = [
  ['an empty program', 'export {}'],
  ['imports of the package', imports],
  [`a model of ${typeCount} types`, writeProgram('', writeCalls, 0)],
  ['the client, calls of one type', writeProgram(creation, writeCalls, 1)],
  [`the client, calls of ${typeCount} types`, writeProgram(creation, writeCalls, typeCount)],
]

/** Finds the compilers: that of the repository, and the oldest one that the package supports. */
function findCompilers(): readonly string[] {
  const own = createRequire(import.meta.url)
  const oldest = createRequire(join(root, 'test/runtimes/package.json'))
  return [own, oldest].map((require) => {
    const manifest = require.resolve('typescript/package.json')
    return join(dirname(manifest), 'bin/tsc')
  })
}

/**
 * Compiles a project under a shell, whose command `times` prints the CPU times of its child processes in its last line.
 * @returns the CPU time in seconds
 */
async function compile(compiler: string, folder: string): Promise<number> {
  const command = [process.execPath, compiler, '--project', folder, '--pretty', 'false']
  const args = ['-c', '"$@"; times', 'sh', ...command]
  const { stdout } = await promisify(execFile)('sh', args)
  if (/error TS/.test(stdout)) throw new Error(stdout)
  const [, ...times] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(stdout) ?? []
  const [userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = times.map(Number)
  return 60 * (userMinutes + systemMinutes) + user + system
}

const root = join(import.meta.dirname, '..')
const parent = join(import.meta.dirname, '.cache')
await mkdir(parent, { recursive: true })
const folder = await mkdtemp(join(parent, 'compile-time-'))
try {
  const build = [join(root, 'tools/build.ts'), join(folder, 'node_modules/lapidary')]
  await promisify(execFile)(process.execPath, build)
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false },
    include: ['program.ts'],
    exclude: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
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

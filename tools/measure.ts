import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Source, sourcesIn } from '../test/architecture/sources.ts'
import { PostgresServer } from '../test/postgres-server.ts'

// Prints what one has to hold in mind, as `docs/architecture.md` quotes it: `npm run measure`. With `--static` it sends no requests.

const root = join(import.meta.dirname, '..')
const sources = ['src', 'cli', 'process'].flatMap((folder) => sourcesIn(folder))

function print(measure: string, value: string | number): void {
  console.log(`${measure.padEnd(60)} ${value}`)
}

const linesOf = ({ text }: Source) => text.split('\n').length - 1

/** Counts the files that import each export, by the file and the name of the export. */
function countUsers(): ReadonlyMap<string, number> {
  const users = new Map<string, Set<string>>()
  for (const { file, text } of sources)
    for (const [, name] of text.matchAll(exporting)) users.set(`${file} ${name}`, new Set())
  for (const { file, imports } of sources)
    for (const each of imports)
      for (const name of each.names ?? []) users.get(`${each.file} ${name}`)?.add(file)
  return new Map([...users].map(([name, files]) => [name, files.size]))
}
const exporting =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm

/** Finds the folder with the most files of its own. */
function findFullestFolder(files: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const [folder, count] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? []
  return `${count} (${folder})`
}

function printFiles(): void {
  print(
    'lines of src, cli and process',
    sources.map(linesOf).reduce((sum, each) => sum + each, 0),
  )
  print('files of src, cli and process', sources.length)
  print('files below 40 lines', sources.filter((source) => linesOf(source) < 40).length)
  const users = [...countUsers().values()]
  print(`exports with one user, of ${users.length}`, users.filter((each) => each === 1).length)
  print('most files in a folder of src', findFullestFolder(sources.map(({ file }) => file)))
  const tests = sourcesIn('test').map(({ file }) => file)
  print('most files in a folder of test', findFullestFolder(tests))
  const exclude = ['**/README.md']
  print('decisions', globSync('docs/decisions/*.md', { cwd: root, exclude }).length)
  for (const page of ['README.md', 'CHANGELOG.md'])
    print(`bytes of ${page}`, statSync(join(root, page)).size)
}

function printPackages(): void {
  const { packages } = JSON.parse(
    readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'),
  )
  print('packages of npm ci', Object.keys(packages).length)
  const files = globSync('node_modules/**', { cwd: root, withFileTypes: true })
  const sizes = files.map((file) =>
    file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0,
  )
  print('MB of npm ci', Math.round(sizes.reduce((sum, each) => sum + each, 0) / 2 ** 20))
}

function printEntered(database: string, ...args: readonly string[]): void {
  const program = join(root, 'tools/trace-request.ts')
  console.log(`\nfunctions and files that a request enters on ${database}`)
  execFileSync(process.execPath, [program, '--summary', ...args], { stdio: 'inherit' })
}

printFiles()
printPackages()
if (!process.argv.includes('--static')) {
  printEntered('SQLite')
  const postgres = await PostgresServer.make('fsync=off')
  printEntered('PostgreSQL', '--database-url', postgres.url)
  await postgres.remove()
}

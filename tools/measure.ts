import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Source, sourcesIn } from '../test/architecture/sources.ts'
import { countWords } from '../test/docs/words.ts'
import { PostgresServer } from '../test/postgres-server.ts'

// Prints what one has to hold in mind: `npm run measure`. With `--static` it sends no requests; with `--write` it prints nothing, and
// replaces the block of `docs/architecture.md` that quotes it.

const root = join(import.meta.dirname, '..')
const sources = ['src', 'cli', 'process'].flatMap((folder) => sourcesIn(folder))

function print(measure: string, value: string | number): void {
  console.log(`${measure.padEnd(56)} ${value}`)
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
  print('words of guides and reference pages', countWords())
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

/** Counts the functions and files that requests enter: a GET, the same with a new value, and a PATCH. */
function printEntered(database: string, ...args: readonly string[]): void {
  const program = join(root, 'tools/trace-request.ts')
  const summary = execFileSync(process.execPath, [program, '--summary', ...args], {
    encoding: 'utf8',
  })
  for (const [, request, functions, files] of summary.matchAll(/^(.+): (\d+) \w+ in (\d+)/gm))
    print(`${database}: ${request}`, `${functions} functions in ${files} files`)
}

/** Replaces the block of a page between `<!-- measure -->` and `<!-- end -->` by what this program prints. */
function writeBlock(page: string): void {
  const path = join(root, page)
  const printed = execFileSync(process.execPath, [import.meta.filename], { encoding: 'utf8' })
  const block = /(?<=<!-- measure -->\n).*?(?=<!-- end -->)/s
  const text = `\`\`\`\n${printed}\`\`\`\n`
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(block, () => text),
  )
}

async function printAll(): Promise<void> {
  printFiles()
  printPackages()
  if (process.argv.includes('--static')) return
  printEntered('SQLite')
  const postgres = await PostgresServer.make('fsync=off')
  printEntered('PostgreSQL', '--database-url', postgres.url)
  await postgres.remove()
}

if (process.argv.includes('--write')) writeBlock('docs/architecture.md')
else await printAll()

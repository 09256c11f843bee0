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

const countLines = (files: readonly Source[]) =>
  files.map(linesOf).reduce((sum, each) => sum + each, 0)

/** What one has to know to change how requests are answered: without the types of programs, the checks at the start, and what is optional. */
const core = sources.filter(
  ({ file }) =>
    /^src\/(?:errors|model|parse|plan|sql|sqlite|serialize|lifecycle|endpoints|http)\//.test(
      file,
    ) && !/\/(?:check|verify)\/|-types\.ts$/.test(file),
)

/** Finds the files that import each export, by the file and the name of the export. */
function findUsers(): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>()
  for (const { file, text } of sources)
    for (const [, name] of text.matchAll(exporting)) users.set(`${file} ${name}`, new Set())
  for (const { file, imports } of sources)
    for (const each of imports)
      for (const name of each.names ?? []) users.get(`${each.file} ${name}`)?.add(file)
  return users
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
  print('lines of src, cli and process', countLines(sources))
  print('files of src, cli and process', sources.length)
  print('lines of the core and one database', `${countLines(core)} in ${core.length} files`)
  print('files below 40 lines', sources.filter((source) => linesOf(source) < 40).length)
  const users = [...findUsers()]
  const single = users.filter(([, files]) => files.size === 1)
  const isNear = ([name, files]: (typeof users)[number]) =>
    [...files].every((file) => dirname(file) === dirname(name))
  const near = single.filter(isNear).length
  print(`exports with one user, of ${users.length}`, `${single.length}, ${near} in its folder`)
  print('most files in a folder of src', findFullestFolder(sources.map(({ file }) => file)))
  const tests = sourcesIn('test').map(({ file }) => file)
  print('most files in a folder of test', findFullestFolder(tests))
  const guide = readFileSync(join(root, 'docs/adding-a-database.md'), 'utf8')
  print('files to edit for a third database', /edits in (\d+) other files/.exec(guide)?.[1] ?? '')
  const exclude = ['**/README.md']
  print('decisions', globSync('docs/decisions/*.md', { cwd: root, exclude }).length)
  print('words of guides and reference pages', countWords())
  const sizes = ['README.md', 'CHANGELOG.md'].map((page) => statSync(join(root, page)).size)
  print('bytes of README.md and CHANGELOG.md', sizes.join(', '))
}

function printPackages(): void {
  const { packages } = JSON.parse(
    readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'),
  )
  const files = globSync('node_modules/**', { cwd: root, withFileTypes: true })
  const sizes = files.map((file) =>
    file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0,
  )
  const megabytes = Math.round(sizes.reduce((sum, each) => sum + each, 0) / 2 ** 20)
  print('packages and MB of npm ci', `${Object.keys(packages).length}, ${megabytes}`)
}

/** Counts the functions and files that requests enter. @param titles - of the requests in `trace-request.ts` */
function printEntered(database: string, titles: RegExp, ...args: readonly string[]): void {
  const program = join(root, 'tools/trace-request.ts')
  const summary = execFileSync(process.execPath, [program, '--summary', ...args], {
    encoding: 'utf8',
  })
  for (const [, request, functions, files] of summary.matchAll(/^(.+): (\d+) \w+ in (\d+)/gm))
    if (titles.test(String(request)))
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
  printEntered('SQLite', /repeated|new value|one attribute/)
  const postgres = await PostgresServer.make('fsync=off')
  printEntered('PostgreSQL', /sort|replaces/, '--database-url', postgres.url)
  await postgres.remove()
}

if (process.argv.includes('--write')) writeBlock('docs/architecture.md')
else await printAll()

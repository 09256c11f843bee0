import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'

// The packages that only some tests need have manifests of their own, so that `npm ci` installs what the service and most tests
// need. As a program, it installs those of the named folders, or of all but the versions of PostgreSQL, where their lock file has
// changed: `npm run test:install`.

/** The folders in `test/` with a manifest of their own. */
const folders = ['chromium', 'clients', 'hosts', 'postgres-versions', 'react', 'runtimes'] as const

/** What npm writes last. */
const installedLock = 'node_modules/.package-lock.json'

const pathOf = (folder: string, file: string) => join(import.meta.dirname, folder, file)

/** Says why the tests that need the packages of a folder do not run; `undefined` if they do. */
export function findMissing(folder: (typeof folders)[number]): string | undefined {
  if (existsSync(pathOf(folder, installedLock))) return undefined
  return `the packages of test/${folder} are not installed; run npm run test:install`
}

function isCurrent(folder: string): boolean {
  const installed = pathOf(folder, installedLock)
  const lock = pathOf(folder, 'package-lock.json')
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs
}

/** Installs the packages of a folder, unless those of its lock file are there. */
export function install(folder: string): void {
  if (isCurrent(folder)) return
  const shell = process.platform === 'win32'
  execFileSync('npm', ['ci', '--no-audit'], { cwd: pathOf(folder, ''), stdio: 'inherit', shell })
}

/** Links Scalar, which `lapidary/docs` finds beside the other packages. */
function linkScalar(): void {
  const name = 'node_modules/@scalar/api-reference'
  const link = pathOf('..', name)
  if (!existsSync(pathOf('chromium', name)) || existsSync(link)) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(pathOf('chromium', name), link, 'junction')
}

if (argv[1] === import.meta.filename) {
  const named = argv.slice(2)
  const all = folders.filter((folder) => folder !== 'postgres-versions')
  for (const folder of named.length > 0 ? named : all) install(folder)
  linkScalar()
}

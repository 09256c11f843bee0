import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMissingSetting, formatCompileSettings } from './compile-settings.ts'
import { type File, formatFiles, writeFiles } from './format-files.ts'
import { formatOmissions } from './format-omissions.ts'
import type { Declarations } from './generate-declarations.ts'
import { generateMain } from './generate-main.ts'
import { readDeclarations } from './introspect.ts'
import { mergeManifest } from './merge-manifest.ts'
import type { InitCommand } from './parse-command-line.ts'
import { readManifest } from './read-manifest.ts'

const scripts = { start: 'node main.ts', dev: 'node --watch main.ts', types: 'tsc --noEmit' }

/**
 * Runs `lapidary init`: writes a project that serves the tables of a database, and says what to do next.
 * @throws Error with a one-line message; then no file is written
 */
export async function init(command: InitCommand): Promise<void> {
  const { databaseUrl, types, show, folder, force } = command
  const declarations = await readDeclarations(databaseUrl, { types, show, checksAllRows: true })
  const generated = [
    { name: 'main.ts', text: generateMain(databaseUrl, folder) },
    ...formatFiles(declarations).map(({ name, text }) => ({ name: `resources/${name}`, text })),
  ]
  const merged = mergeFiles(command)
  writeFiles(folder, generated, force)
  writeFiles(folder, merged, true)
  console.log(formatNextSteps(command, [...merged, ...generated], declarations))
}

/** The files that a project may have already, with the missing parts added. Complete files are left out. */
function mergeFiles({ databaseUrl, folder }: InitCommand): File[] {
  const read = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const isPostgres = !databaseUrl.startsWith('sqlite:')
  const additions = {
    scripts,
    dependencies: packageVersions(['lapidary', 'fastify', ...(isPostgres ? ['pg'] : [])]),
    devDependencies: { '@types/node': '^24.10.0', typescript: '^7.0.0' },
  }
  const ignored = ['node_modules', ...(isPostgres ? ['.env'] : [])]
  const environment = read('.env')
  const isSet = /^\s*(?:export\s+)?DATABASE_URL\s*=/m.test(environment ?? '')
  const merged = [
    { name: 'package.json', text: mergeManifest(read('package.json'), additions) },
    ...(read('tsconfig.json') === undefined
      ? [{ name: 'tsconfig.json', text: formatCompileSettings() }]
      : []),
    ...(isPostgres && !isSet
      ? [{ name: '.env', text: addLines(environment, [`DATABASE_URL=${databaseUrl}`]) }]
      : []),
    { name: '.gitignore', text: addLines(read('.gitignore'), ignored) },
  ]
  return merged.filter(({ name, text }) => read(name) !== text)
}

/** The versions with which this version of the package was tested, as ranges. */
function packageVersions(names: readonly string[]): Record<string, string> {
  const { name, version, dependencies, peerDependencies } = readManifest()
  const versions = new Map(
    Object.entries({ ...dependencies, ...peerDependencies, [name]: version }),
  )
  return Object.fromEntries(
    names.map((each) => [each, `^${(versions.get(each) ?? '').replace(/^\^/, '')}`]),
  )
}

/** Adds the lines that a text does not have. */
function addLines(text: string | undefined, lines: readonly string[]): string {
  const existing = text?.split(/\r?\n/).map((line) => line.replace(/\/$/, '')) ?? []
  const missing = lines.filter((line) => !existing.includes(line))
  if (text !== undefined && missing.length === 0) return text
  const isComplete = text === undefined || text === '' || text.endsWith('\n')
  return [text ?? '', isComplete ? '' : '\n', ...missing.map((line) => `${line}\n`)].join('')
}

function formatNextSteps(
  { folder }: InitCommand,
  files: readonly File[],
  declarations: Declarations,
): string {
  const start = startsMain(folder) ? 'npm start' : 'node main.ts'
  return [
    `Wrote ${files.map(({ name }) => join(folder, name)).join(', ')}.`,
    ...formatOmissions(declarations),
    ...describeMissingSetting(join(folder, 'tsconfig.json')),
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    '  npm install',
    `  ${start}`,
    'Clients can create, update and delete. Edit the files in resources/ to rename, hide, compute and protect fields.',
  ].join('\n')
}

/** Whether `npm start` starts the generated program, and not a program that the project had before. */
function startsMain(folder: string): boolean {
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return manifest.scripts.start === scripts.start
}

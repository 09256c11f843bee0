import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMissingSetting, formatCompileSettings } from './compile-settings.ts'
import { findCommandDatabase } from './databases/databases.ts'
import { quote } from './introspect/code.ts'
import { type File, formatFiles, writeFiles } from './introspect/format-files.ts'
import { formatOmissions } from './introspect/format-omissions.ts'
import type { Declarations } from './introspect/generate-declarations.ts'
import { readDeclarations } from './introspect.ts'
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
  const { packages, describeMain } = findCommandDatabase(databaseUrl)
  const needsSetting = describeMain(databaseUrl, folder).default === undefined
  const additions = {
    scripts,
    dependencies: packageVersions(['lapidary', 'fastify', ...packages]),
    devDependencies: { '@types/node': '^24.10.0', typescript: '^7.0.0' },
  }
  const ignored = ['node_modules', ...(needsSetting ? ['.env'] : [])]
  const environment = read('.env')
  const isSet = /^\s*(?:export\s+)?DATABASE_URL\s*=/m.test(environment ?? '')
  const merged = [
    { name: 'package.json', text: mergeManifest(read('package.json'), additions) },
    ...(read('tsconfig.json') === undefined
      ? [{ name: 'tsconfig.json', text: formatCompileSettings() }]
      : []),
    ...(needsSetting && !isSet
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

/**
 * Generates the program that serves the declarations in `resources/`.
 * @param folder - the folder of the program
 */
export function generateMain(databaseUrl: string, folder: string): string {
  const { describeMain } = findCommandDatabase(databaseUrl)
  const { open, module, variable, default: unset } = describeMain(databaseUrl, folder)
  const setting = unset === undefined ? variable : `${variable} = ${quote(unset)}`
  const isAsync = unset === undefined
  const imports = [
    `import { existsSync } from 'node:fs'`,
    `import { defineModel } from 'lapidary'`,
    `import { createServer } from 'lapidary/fastify'`,
    `import { createPages } from 'lapidary/html'`,
    `import { ${open} } from '${module}'`,
    `import { resources } from './resources/index.ts'`,
  ]
  const check = `if (${variable} === undefined) throw new Error('Set ${variable}, for example in the file .env.')`
  return `${imports.join('\n')}

// The settings are environment variables. The file .env has those that the environment does not have.
if (existsSync('.env')) process.loadEnvFile('.env')
${formatSettings([setting, "HOST = '127.0.0.1'", "PORT = '3000'", 'PUBLIC_URL'])}
${isAsync ? `${check}\n` : ''}
const model = defineModel(resources)
const store = ${isAsync ? 'await ' : ''}${open}(model, ${variable})
const { warnings } = await store.verify()
for (const warning of warnings) console.warn(warning)
// Browsers get pages, and /openapi.json describes the API.
const server = createServer({
  model,
  store,
  publicUrl: PUBLIC_URL,
  html: createPages(),
  openapi: true,
})

// A graceful stop: the server responds to pending requests, then the database is closed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.close()
    await store.close()
  })
}
console.log(await server.listen({ host: HOST, port: Number(PORT) }))
`
}

/** Formats the declaration of the settings as Biome does. */
function formatSettings(settings: readonly string[]): string {
  const oneLine = `const { ${settings.join(', ')} } = process.env`
  if (oneLine.length <= 100) return oneLine
  return `const {\n${settings.map((setting) => `  ${setting},\n`).join('')}} = process.env`
}

/** The members of a `package.json` that `lapidary init` reads. */
interface Manifest {
  readonly type?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** The members that `lapidary init` adds to a `package.json`. */
interface Additions {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * Adds scripts and dependencies to a `package.json`. Nothing that is there changes, and its indentation stays. A file that has only
 * dependencies, as `npm install` writes it in an empty folder, becomes that of ES modules.
 * @param text - the file; `undefined` makes a new one
 * @throws Error with a one-line message when it is not JSON, or says that the project has no ES modules
 */
export function mergeManifest(text: string | undefined, additions: Additions): string {
  const found = text === undefined ? {} : parse(text)
  const isNew = Object.keys(found).every((member) => member === 'dependencies')
  const existing: Manifest = isNew ? { private: true, type: 'module', ...found } : found
  if (existing.type === 'commonjs')
    throw new Error(
      'package.json has "type": "commonjs", but the generated files are ES modules: change it to "module", or choose another folder by --out',
    )
  const { scripts, dependencies, devDependencies } = existing
  const isMissing = ([name]: readonly [string, string]) =>
    dependencies?.[name] === undefined && devDependencies?.[name] === undefined
  const missing = (packages: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(packages).filter(isMissing))
  const merged: Manifest = {
    ...existing,
    scripts: { ...additions.scripts, ...scripts },
    dependencies: sortByName({ ...missing(additions.dependencies), ...dependencies }),
    devDependencies: sortByName({ ...missing(additions.devDependencies), ...devDependencies }),
  }
  const indent = /^[ \t]+(?=")/m.exec(text ?? '')?.[0] ?? 2
  return `${JSON.stringify(merged, null, indent)}\n`
}

function parse(text: string): Manifest {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('package.json is not valid JSON; correct it first', { cause: error })
  }
}

/** Sorts as npm does. */
function sortByName(packages: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(packages)
  return Object.fromEntries(entries.toSorted(([one], [other]) => one.localeCompare(other, 'en')))
}

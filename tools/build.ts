import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { readAssetFiles } from '../src/html/asset-files.ts'

// Builds the package that is published, in `dist/package` or in the folder that is the argument: the engine and the command
// `lapidary` as JavaScript, the types of the entry points, and the documentation for users. The service, the examples and their
// dependencies are not in it.

const root = fileURLToPath(new URL('..', import.meta.url))
const target = resolve(process.argv[2] ?? join(root, 'dist/package'))
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

/** The members of `package.json` that are read here. */
interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** Libraries that an application may use itself, in the version that it chooses: peer dependencies of the package. */
const peers = ['fastify', 'jose', 'pg']
/** Peers that npm does not install by itself. It installs the others, so that `npx lapidary serve` has an HTTP server. */
const optionalPeers = ['@scalar/api-reference', 'jose', 'pg']
/** Peers that only tests and the service need, also optional. */
const toolPeers = ['@opentelemetry/api', 'prom-client']
/** The peer that only tests need, with the version that they run with. */
const scalar = '@scalar/api-reference'

rmSync(target, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', join(target, 'dist')],
  { stdio: 'inherit' },
)
for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs'])
  cpSync(join(root, name), join(target, name), { recursive: true, filter: isForUsers })
embedAssets()
bundleReaderProgram()
rewrite('dist/**/*.d.ts', importJavaScript)
rewrite('**/*.md', removeOutsideLinks)
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
removeUnusedDeclarations(Object.values(manifest.exports).filter((file) => file.endsWith('.ts')))
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify(makePublishedManifest(manifest), null, 2)}\n`,
)

/** Rewrites the files of the package that match a pattern. @param change - gets the text and the folder of the file */
function rewrite(pattern: string, change: (text: string, folder: string) => string): void {
  for (const name of globSync(pattern, { cwd: target })) {
    const file = join(target, name)
    writeFileSync(file, change(readFileSync(file, 'utf8'), dirname(file)))
  }
}

/** Writes the texts of the files of the pages into the module that reads them in the repository. */
function embedAssets(): void {
  const files = readAssetFiles().filter(({ name }) => !name.endsWith('.json'))
  const module = `export function readAssetFiles() { return ${JSON.stringify(files)} }\n`
  writeFileSync(join(target, 'dist/src/html/asset-files.js'), module)
}

/** Makes a declaration file import `./x.js` instead of `./x.ts`, as the JavaScript beside it does. */
function importJavaScript(declarations: string): string {
  return declarations.replace(/(\b(?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2')
}

/** Makes the program of the reader processes one file, which runs wherever a bundler or a deployment copies it. */
function bundleReaderProgram(): void {
  const program = 'src/sqlite/readers/reader-process'
  buildSync({
    entryPoints: [join(root, `${program}.ts`)],
    outfile: join(target, 'dist', `${program}.js`),
    ...{ bundle: true, platform: 'node', format: 'esm', allowOverwrite: true, logLevel: 'error' },
  })
}

/** Removes the declaration files that no entry point names, not even through others. */
function removeUnusedDeclarations(entryPoints: readonly string[]): void {
  const used = new Set(entryPoints.map((file) => join(target, toBuiltFile(file, '.d.ts'))))
  for (const file of used)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]*)\.js['"]/g))
      used.add(`${resolve(dirname(file), path)}.d.ts`)
  for (const name of globSync('dist/**/*.d.ts', { cwd: target }))
    if (!used.has(join(target, name))) rmSync(join(target, name))
}

/** Whether a file of the repository is in the package: pages about the work on Lapidary itself, and pictures, are not. */
function isForUsers(file: string): boolean {
  return !/docs\/(?:decisions|images|architecture\.md|adding-a-database\.md)/.test(
    relative(root, file).replaceAll('\\', '/'),
  )
}

/** Replaces links to files that are not in the package by their texts, and removes pictures. */
function removeOutsideLinks(page: string, folder: string): string {
  return page
    .replace(/!\[[^\]]*\]\([^)]*\)\n*/g, '')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text: string, address: string) => {
      const [path = ''] = address.split('#')
      const isKept = /^[a-z]+:/.test(address) || existsSync(resolve(folder, path))
      return isKept ? link : text
    })
}

/** Makes the `package.json` of the published package. */
function makePublishedManifest(manifest: Manifest): object {
  const { name, version, description, keywords, license, type, engines, dependencies } = manifest
  const selectDependencies = (isSelected: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(dependencies)
        .filter(([name]) => isSelected(name))
        .map(([name, version]) => [name, `^${version}`]),
    )
  return {
    name,
    version,
    description,
    keywords,
    license,
    type,
    engines,
    sideEffects: false,
    exports: mapValues(manifest.exports, (file) =>
      file.endsWith('.ts')
        ? { types: toBuiltFile(file, '.d.ts'), default: toBuiltFile(file, '.js') }
        : file,
    ),
    bin: mapValues(manifest.bin, (file) => toBuiltFile(file, '.js')),
    dependencies: selectDependencies((name) => !peers.includes(name)),
    peerDependencies: {
      [scalar]: `^${readDependencies('test/chromium/package.json')[scalar]}`,
      ...selectDependencies((name) => peers.includes(name)),
      ...Object.fromEntries(toolPeers.map((name) => [name, `^${manifest.devDependencies[name]}`])),
    },
    peerDependenciesMeta: Object.fromEntries(
      [...optionalPeers, ...toolPeers].map((peer) => [peer, { optional: true }]),
    ),
  }
}

function readDependencies(file: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).dependencies
}

function mapValues<Value>(
  record: Readonly<Record<string, string>>,
  change: (value: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** Returns the path of a compiled file, e.g. `./dist/src/index.js` of `./src/index.ts`. */
function toBuiltFile(source: string, extension: string): string {
  return `./${join('dist', source).replaceAll('\\', '/')}`.replace(/\.ts$/, extension)
}

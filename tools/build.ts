import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// Builds the package that is published, in `dist/package` or in the folder that is the argument: the engine and the command `lapidary`, without the service, the
// examples and their dependencies. `dist/` has JavaScript with types and declaration maps; `src/`, `cli/` and `process/`
// have the sources to which the maps refer.

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
/** Peers that the repository needs for tests only. */
const testedPeers = ['@scalar/api-reference']

rmSync(target, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', join(target, 'dist')],
  { stdio: 'inherit' },
)
for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs', 'src', 'cli', 'process'])
  cpSync(join(root, name), join(target, name), { recursive: true })
// The files that the pages send to browsers, beside the module that reads them.
cpSync(join(root, 'src/html/assets'), join(target, 'dist/src/html/assets'), {
  recursive: true,
  filter: (file) => !file.endsWith('.json'),
})
rewrite('dist/**/*.d.ts', importJavaScript)
rewrite('dist/**/*.d.ts.map', mapToPackagedSources)
rewrite('**/*.md', removeOutsideLinks)
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
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

/** Makes a declaration file import `./x.js` instead of `./x.ts`, as the JavaScript beside it does. */
function importJavaScript(declarations: string): string {
  return declarations.replace(/(\b(?:from |import\()'\.[^']*)\.ts'/g, "$1.js'")
}

/** Makes a declaration map refer to the sources in the package instead of those in the repository. */
function mapToPackagedSources(text: string, folder: string): string {
  const map: { readonly sources: readonly string[] } = JSON.parse(text)
  const sources = map.sources.map((source) => {
    const packaged = join(target, relative(root, resolve(folder, source)))
    return relative(folder, packaged).replaceAll('\\', '/')
  })
  return JSON.stringify({ ...map, sources })
}

/** Replaces links to files that are not in the package by their texts. */
function removeOutsideLinks(page: string, folder: string): string {
  return page.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text: string, address: string) => {
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
      ...Object.fromEntries(
        testedPeers.map((peer) => [peer, `^${manifest.devDependencies[peer]}`]),
      ),
      ...selectDependencies((name) => peers.includes(name)),
    },
    peerDependenciesMeta: Object.fromEntries(
      optionalPeers.map((peer) => [peer, { optional: true }]),
    ),
  }
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

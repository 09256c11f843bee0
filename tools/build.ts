import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Builds `dist/package`, the package that is published: the engine and `lapidary introspect` as JavaScript with types,
// without the service, the examples and their dependencies.

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'dist/package')
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

/** The members of `package.json` that are read here. */
interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** Dependencies of the service only; they are not published. */
const serviceDependencies = ['valibot']
/** Database drivers; they are optional peer dependencies of the package. */
const drivers = ['pg']

rmSync(target, { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
})
for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs'])
  cpSync(join(root, file), join(target, file), { recursive: true })
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify(makePublishedManifest(manifest), null, 2)}\n`,
)

/** Makes the `package.json` of the published package. */
function makePublishedManifest(manifest: Manifest): object {
  const { name, version, description, license, type, engines, dependencies } = manifest
  const selectDependencies = (isSelected: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(dependencies).filter(([name]) => isSelected(name)))
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    sideEffects: false,
    exports: mapValues(manifest.exports, (file) =>
      file.endsWith('.ts')
        ? { types: replaceExtension(file, '.d.ts'), default: replaceExtension(file, '.js') }
        : file,
    ),
    bin: mapValues(manifest.bin, (file) => replaceExtension(file, '.js')),
    dependencies: mapValues(
      selectDependencies((name) => ![...serviceDependencies, ...drivers].includes(name)),
      (version) => `^${version}`,
    ),
    peerDependencies: mapValues(
      selectDependencies((name) => drivers.includes(name)),
      (version) => `^${version}`,
    ),
    peerDependenciesMeta: Object.fromEntries(drivers.map((driver) => [driver, { optional: true }])),
  }
}

function mapValues<Value>(
  record: Readonly<Record<string, string>>,
  change: (value: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function replaceExtension(file: string, extension: string): string {
  return file.replace(/\.ts$/, extension)
}

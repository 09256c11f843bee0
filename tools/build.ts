import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Makes `dist/package`, which is what is published: the engine and `lapidary introspect` as JavaScript with types, without
// the service, the examples and what only they need.

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'dist/package')
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

/** What is said of the project in its `package.json`. */
interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** The guests' own libraries, and drivers: whoever wants a database brings its driver. */
const guests = ['valibot']
const drivers = ['pg']

rmSync(target, { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
})
for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs'])
  cpSync(join(root, file), join(target, file), { recursive: true })
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`)

function published(manifest: Manifest): object {
  const { name, version, description, license, type, engines, dependencies } = manifest
  const of = (names: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(dependencies).filter(([name]) => names(name)))
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    sideEffects: false,
    exports: mapped(manifest.exports, (file) =>
      file.endsWith('.ts')
        ? { types: withEnding(file, '.d.ts'), default: withEnding(file, '.js') }
        : file,
    ),
    bin: mapped(manifest.bin, (file) => withEnding(file, '.js')),
    dependencies: mapped(
      of((each) => ![...guests, ...drivers].includes(each)),
      (each) => `^${each}`,
    ),
    peerDependencies: mapped(
      of((each) => drivers.includes(each)),
      (each) => `^${each}`,
    ),
    peerDependenciesMeta: Object.fromEntries(drivers.map((each) => [each, { optional: true }])),
  }
}

function mapped<Value>(
  record: Readonly<Record<string, string>>,
  change: (value: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function withEnding(file: string, ending: string): string {
  return file.replace(/\.ts$/, ending)
}

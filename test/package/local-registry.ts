import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scope } from '../cleanup.ts'
import { absolutePath, readPage } from '../docs/pages.ts'
import { folder } from '../service/child.ts'

const execute = promisify(execFile)

/** The members of a `package.json` that npm reads from a registry. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

/** A package that is packed as `npm publish` would upload it. */
interface PackedPackage {
  readonly manifest: Manifest
  readonly file: string
  readonly integrity: string
}

/**
 * Starts an npm registry on this machine, with this package and the packages of the repository that it depends on. npm asks
 * it as it asks registry.npmjs.org, so commands run as users type them, without the network.
 * @returns the address of the registry; it is stopped when the test ends
 */
export async function startRegistry(test: Scope): Promise<string> {
  const packages = await packAll(await folder(test))
  const server = createServer(({ url = '', headers: { host } }, response) => {
    const path = decodeURIComponent(url.slice(1))
    const requested = packages.find(({ file }) => path === `tarballs/${file.split('/').at(-1)}`)
    if (requested) {
      createReadStream(requested.file).pipe(response)
      return
    }
    const found = packages.filter(({ manifest }) => manifest.name === path)
    response.statusCode = found.length === 0 ? 404 : 200
    response.end(JSON.stringify(describePackage(path, found, `http://${host}`)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Answers a request for a package. https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
function describePackage(name: string, found: readonly PackedPackage[], origin: string): object {
  const versions = found.map(({ manifest, file, integrity }) => {
    const dist = { tarball: `${origin}/tarballs/${file.split('/').at(-1)}`, integrity }
    return [manifest.version, { ...manifest, dist }] as const
  })
  // The newest one is that of the highest folder, which is the first.
  const latest = versions[0]?.[0]
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
}

/** Builds this package, and packs it and its dependencies. */
async function packAll(target: string): Promise<PackedPackage[]> {
  const built = join(target, 'package')
  await execute(process.execPath, [absolutePath('tools/build.ts'), built])
  const manifest = readManifest(built)
  const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name])
  const names = [...Object.keys(dependencies ?? {}), ...peers]
  const folders = [built, ...findDependencies(names).map((path) => absolutePath(path))]
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target, ...folders]
  const isWindows = process.platform === 'win32'
  const { stdout } = await execute(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd: target,
    shell: isWindows,
    maxBuffer: 2 ** 26,
  })
  const packed: readonly { readonly filename: string; readonly integrity: string }[] =
    JSON.parse(stdout)
  return packed.map(({ filename, integrity }, at) => ({
    manifest: readManifest(folders[at] ?? ''),
    file: join(target, filename),
    integrity,
  }))
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
}

/** The entries of `package-lock.json` for the packages of the repository, by their folders. */
interface Lock {
  readonly packages: Readonly<Record<string, Manifest>>
}

/** Returns the folders of packages and of everything that they depend on, each once. */
export function findDependencies(names: readonly string[]): string[] {
  const { packages }: Lock = JSON.parse(readPage('package-lock.json'))
  const found = new Set<string>()
  const add = (name: string, dependent: string): void => {
    const path = `${dependent}node_modules/${name}`
    if (!(path in packages)) {
      // As Node.js does, look in the folder above.
      if (dependent !== '') add(name, dependent.replace(/node_modules\/(?:@[^/]+\/)?[^/]+\/$/, ''))
      return
    }
    if (found.has(path)) return
    found.add(path)
    for (const each of Object.keys(packages[path]?.dependencies ?? {})) add(each, `${path}/`)
  }
  for (const name of names) add(name, '')
  return [...found]
}

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** The output of a command. */
interface Output {
  /** Not 0 when the command failed. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The package, installed from its tarball into an empty project outside the repository. */
export interface InstalledPackage {
  /** The folder of the project. */
  readonly project: string
  /** The tarball, as `npm publish` would upload it. */
  readonly tarball: string
  /** Writes a file of the project. */
  write(name: string, content: string): Promise<void>
  /** Runs a command in the project. A command that fails does not throw. */
  run(command: string, ...args: readonly string[]): Promise<Output>
  /** Gives the project packages that the repository has, e.g. the driver `pg`. */
  link(...names: readonly string[]): Promise<void>
  remove(): Promise<void>
}

/** The commands of the repository: its own and older releases of Node.js and TypeScript, Bun and Deno. */
export const commands = {
  node: process.execPath,
  node24: join(root, 'test/runtimes/node_modules/node/bin/node'),
  bun: join(root, 'test/runtimes/node_modules/bun/bin/bun.exe'),
  deno: join(
    root,
    'test/runtimes/node_modules/deno',
    process.platform === 'win32' ? 'deno.exe' : 'deno',
  ),
  tsc: join(root, 'node_modules/typescript/bin/tsc'),
  tsc59: join(root, 'test/runtimes/node_modules/typescript/bin/tsc'),
  publint: join(root, 'test/runtimes/node_modules/publint/src/cli.js'),
  attw: join(root, 'test/runtimes/node_modules/@arethetypeswrong/cli/dist/index.js'),
} as const

/**
 * Builds the package, packs it, and installs the tarball by npm into an empty project. The dependencies of the package are
 * those of the repository, so that npm needs no registry. Its peer dependencies are not installed.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
  // A folder of its own, because other tests build the package at the same time.
  const built = join(folder, 'package')
  await execute(process.execPath, [join(root, 'tools/build.ts'), built])
  await npm(root, 'pack', built, '--pack-destination', folder)
  const project = join(folder, 'project')
  const write = async (name: string, content: string) => {
    await mkdir(dirname(join(project, name)), { recursive: true })
    await writeFile(join(project, name), content)
  }
  const link = async (...names: readonly string[]) => {
    for (const name of names) {
      const path = join(project, 'node_modules', name)
      await mkdir(dirname(path), { recursive: true })
      await symlink(packageInRepository(name), path, 'junction')
    }
  }
  await write('package.json', '{ "name": "project", "private": true, "type": "module" }')
  const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
  for (const name of await listDependencies(Object.keys(manifest.dependencies)))
    await cp(packageInRepository(name), join(project, 'node_modules', name), { recursive: true })
  const tarball = join(folder, `lapidary-${manifest.version}.tgz`)
  // Without the second option, npm would ask the registry for the peer dependencies.
  await npm(project, 'install', '--offline', '--legacy-peer-deps', tarball)
  return {
    project,
    tarball,
    write,
    link,
    run: (command, ...args) => runIn(project, command, args),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const packageInRepository = (name: string) => join(root, 'node_modules', name)

/** Lists packages and all of their dependencies. */
async function listDependencies(names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set(names)
  for (const name of found) {
    const manifest = await readFile(join(packageInRepository(name), 'package.json'), 'utf8')
    for (const dependency of Object.keys(JSON.parse(manifest).dependencies ?? {}))
      found.add(dependency)
  }
  return found
}

async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  await execute(command, [...args], { cwd, shell: process.platform === 'win32' })
}

/** Runs a command; a script runs under this Node.js. */
async function runIn(cwd: string, command: string, args: readonly string[]): Promise<Output> {
  const [program, ...rest] =
    command.endsWith('.js') || command.endsWith('tsc')
      ? [process.execPath, command, ...args]
      : [command, ...args]
  try {
    const { stdout, stderr } = await execute(program, rest, { cwd, maxBuffer: 2 ** 24 })
    return { code: 0, stdout, stderr }
  } catch (error) {
    if (isFailedCommand(error)) return error
    throw error
  }
}

function isFailedCommand(error: unknown): error is Output {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../cleanup.ts'
import { connect } from '../client.ts'
import { until } from './processes.ts'

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url))

/** Settings in the environment, by name. */
type Environment = Readonly<Record<string, string>>

/** The result of a process that has ended. */
interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The service as a process of its own. */
export interface Child {
  readonly process: ChildProcess
  /** The origin that it has printed. */
  readonly url: string
  /** Everything printed so far. */
  printed(): string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>
}

/** Creates a folder, which is deleted when the test ends. */
export async function folder(test: Scope): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lapidary-'))
  test.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** The time in milliseconds after which a process that does not end is killed. */
const timeout = 60_000

function launch(
  args: readonly string[],
  environment: Environment,
  cwd: string,
  timeout?: number,
): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  return spawn(process.execPath, [...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  })
}

/** Runs the command of the service until it ends. */
export async function run(
  test: Scope,
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  const child = launch([main, ...args], environment, await folder(test), timeout)
  test.after(() => child.kill('SIGKILL'))
  return ended(child)
}

async function ended(child: ChildProcess): Promise<Ended> {
  assert.ok(child.stdout && child.stderr)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: typeof code === 'number' ? code : null, stdout, stderr }
}

/** Starts the service in a folder and waits until it responds. It is stopped when the test ends. */
export async function start(
  test: Scope,
  cwd: string,
  args: readonly string[] = [],
  environment: Environment = {},
): Promise<Child> {
  return startProgram(test, main, { cwd, args, environment: { PORT: '0', ...environment } })
}

/** The options of the start of a program. */
interface ProgramOptions {
  readonly cwd: string
  readonly args?: readonly string[]
  readonly environment?: Environment
}

/** Starts a program that serves, and waits until it responds. It is stopped when the test ends. */
export async function startProgram(
  test: Scope,
  program: string,
  { cwd, args = [], environment = {} }: ProgramOptions,
): Promise<Child> {
  return watch(test, launch([program, ...args], environment, cwd))
}

/** Starts a server by a command of a shell, and waits until it responds. Its processes are stopped when the test ends. */
export async function startShell(
  test: Scope,
  command: string,
  { cwd, environment }: ProgramOptions,
): Promise<Child> {
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd,
    env: shellEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: npx starts more processes.
    detached: true,
  })
  const { pid } = child
  test.after(() => {
    if (pid !== undefined && child.exitCode === null) process.kill(-pid, 'SIGKILL')
  })
  return watch(test, child)
}

/** Runs a command of a shell until it ends. */
export async function runShell(
  command: string,
  { cwd, environment }: ProgramOptions,
): Promise<Ended> {
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: shellEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return ended(child)
}

/** The variables of a shell whose `node` is the one that runs the tests. */
function shellEnvironment(environment: Environment = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const path = `${dirname(process.execPath)}${delimiter}${PATH}`
  return { HOME, PATH: path, NODE_COMPILE_CACHE, npm_config_loglevel: 'error', ...environment }
}

/** Collects the output of a process, and waits until it responds. */
async function watch(test: Scope, child: ChildProcess): Promise<Child> {
  test.after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let printed = ''
  child.stdout?.on('data', (piece) => {
    printed += piece
  })
  child.stderr?.on('data', (piece) => {
    printed += piece
  })
  const url = await listening(child, () => printed)
  return {
    process: child,
    url,
    printed: () => printed,
    end: async (signal) => {
      child.kill(signal)
      const [code] = await exit
      return { code: typeof code === 'number' ? code : null, stdout: printed, stderr: '' }
    },
  }
}

/** Waits for the first address that a process prints, and until it responds. */
async function listening(child: ChildProcess, printed: () => string): Promise<string> {
  let url: string | undefined
  const isListening = async () => {
    assert.equal(child.exitCode, null, `ended at once: ${printed()}`)
    url = printed().match(/https?:\/\/[^\s/"',]*[^\s/"',.]/)?.[0]
    return url !== undefined && (await responds(url))
  }
  await until(isListening, () => `never listened: ${printed()}`)
  return url ?? ''
}

async function responds(url: string): Promise<boolean> {
  const client = connect(url)
  try {
    await client.send('GET', '/')
    return true
  } catch {
    return false
  } finally {
    client.close()
  }
}

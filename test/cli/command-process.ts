import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Cleanup, type Scope } from '../cleanup.ts'

const program = fileURLToPath(new URL('run-commands.ts', import.meta.url))

/** A command line, and where it runs. */
export interface CommandLine {
  readonly cwd: string
  readonly args: readonly string[]
  /** The path of a program that runs instead of `lapidary`. It must end when its module is evaluated. */
  readonly program?: string
  /** Variables in addition to those of the test process. */
  readonly env?: Readonly<Record<string, string>>
}

/** The output of a command, and its exit code. */
export interface CommandResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** The resources that would keep its process running, by type, e.g. `TCPSocketWrap`. */
  readonly unclosed: readonly string[]
}

/** Runs a command line of `lapidary`, without the name of the command. */
type RunCommand = (
  cwd: string,
  args: readonly string[],
  env?: CommandLine['env'],
) => Promise<Omit<CommandResult, 'unclosed'>>

/** The process that runs the commands of all suites, and what ends it. */
let shared: ReturnType<typeof startProcess> | undefined
const cleanup = new Cleanup()
after(() => cleanup.run())

/**
 * Runs a command in a process that runs the commands of all suites, one after the other. It calls the same function as
 * `cli/main.ts`, and saves the start of Node.js, which takes most of the time of a command. `run-commands.ts` is its program.
 * Fails if the command leaves something open, because its own process would not end.
 */
export const runCommand: RunCommand = async (cwd, args, env = {}) => {
  shared ??= startProcess(cleanup)
  try {
    return await shared({ cwd, args, env })
  } catch (error) {
    // The process may have ended, or still be at work.
    await cleanup.run()
    shared = undefined
    throw error
  }
}

/**
 * Starts a process that runs programs one after the other, until the suite or test ends.
 * @returns a function that runs the program at a path, and fails if the program leaves something open
 */
export function startProgramProcess(
  scope: Scope,
): (program: string) => Promise<Omit<CommandResult, 'unclosed'>> {
  const run = startProcess(scope)
  return (program) => run({ cwd: process.cwd(), args: [], program })
}

function startProcess(scope: Scope) {
  // Loggers write to the file descriptor.
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  scope.after(() => child.kill('SIGKILL'))
  const end = once(child, 'exit')
  return async (line: CommandLine): Promise<Omit<CommandResult, 'unclosed'>> => {
    const name = line.program ?? line.args.join(' ')
    const results = once(child, 'message', { signal: AbortSignal.timeout(60_000) })
    // A late result must not be taken for that of the next command.
    results.catch(() => child.kill('SIGKILL'))
    child.send(line)
    const [result]: readonly CommandResult[] = await Promise.race([
      results,
      end.then(() => assert.fail(`the process has ended during ${name}`)),
    ])
    assert.ok(result)
    const { unclosed, ...output } = result
    assert.deepEqual(unclosed, [], name)
    return output
  }
}

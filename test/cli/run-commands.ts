import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { runCli } from '../../cli/run-cli.ts'
import type { CommandLine, CommandResult } from './command-process.ts'

// Runs the commands and programs that the parent process sends, one after the other, and sends their results. See
// `command-process.ts`.

/** Collects what is written to a stream, until the returned function is called. That function returns the text. */
function capture(stream: NodeJS.WriteStream): () => string {
  const { write } = stream
  let text = ''
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
  return () => {
    stream.write = write
    stream.removeAllListeners('error')
    return text
  }
}

/** Lists what would keep the process of a command running. Closing takes a moment. @param before - what was active before it */
async function listUnclosed(before: readonly string[]): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const rest = [...before]
    const added = process.getActiveResourcesInfo().filter((type) => {
      const index = rest.indexOf(type)
      if (index >= 0) rest.splice(index, 1)
      return index < 0
    })
    if (added.length === 0 || tries === 100) return added
    await pause(tries && 20)
  }
}

/** Imports a program. An error that it throws is written as Node.js does when it ends a process. */
async function runProgram(program: string): Promise<void> {
  try {
    await import(pathToFileURL(program).href)
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}

async function run({ cwd, args, program, env }: CommandLine): Promise<CommandResult> {
  process.chdir(cwd)
  const variables = { ...process.env }
  Object.assign(process.env, env)
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const before = process.getActiveResourcesInfo()
  await (program === undefined ? runCli(args) : runProgram(program))
  const unclosed = await listUnclosed(before)
  const status = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  process.env = variables
  return { status, stdout: stdout(), stderr: stderr(), unclosed }
}

process.on('message', async (line: CommandLine) => process.send?.(await run(line)))

import { exitWithError, ignoreClosedPipes } from '../process/run-server.ts'
import { formatCommandHelp, formatHelp } from './format-help.ts'
import { type Command, parseCommandLine } from './parse-command-line.ts'
import { readManifest } from './read-manifest.ts'

/** Runs the `lapidary` command. Prints an error in one line, and then makes the process end with exit code 2. */
export async function runCli(args: readonly string[]): Promise<void> {
  ignoreClosedPipes()
  try {
    await execute(parseCommandLine(args, process.env))
  } catch (error) {
    exitWithError(error)
  }
}

/** Loads only the modules of the command. */
async function execute(command: Command): Promise<void> {
  switch (command.is) {
    case 'help':
      console.log(command.command === undefined ? formatHelp() : formatCommandHelp(command.command))
      break
    case 'version':
      console.log(readManifest().version)
      break
    case 'serve': {
      const { serve } = await import('./serve.ts')
      await serve(command)
      break
    }
    case 'init': {
      const { init } = await import('./init.ts')
      await init(command)
      break
    }
    case 'introspect': {
      const { introspect } = await import('./introspect.ts')
      await introspect(command)
      break
    }
    case 'explain': {
      const { explain } = await import('./explain.ts')
      await explain(command)
      break
    }
    case 'doctor': {
      const { doctor } = await import('./doctor.ts')
      await doctor(command)
      break
    }
    case 'access': {
      const { printAccess } = await import('./access.ts')
      await printAccess(command)
      break
    }
    case 'openapi': {
      const { printDescription } = await import('./describe.ts')
      await printDescription(command)
      break
    }
    case 'routes': {
      const { printRoutes } = await import('./describe.ts')
      await printRoutes(command)
    }
  }
}

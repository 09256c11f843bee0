import { urlForms } from '../process/databases.ts'
import { exitWithError, ignoreClosedPipes } from '../process/run-server.ts'
import { formatSettings } from '../process/settings.ts'
import { type CommandDescription, type CommandName, commands } from './commands.ts'
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
      break
    }
    case 'idempotency': {
      const { idempotencyTable } = await import('lapidary')
      process.stdout.write(idempotencyTable)
    }
  }
}

/** Formats the output of `lapidary --help`. */
export function formatHelp(): string {
  const names = Object.keys(commands)
  const width = Math.max(...names.map((name) => name.length))
  return [
    'Serves databases as JSON:API.',
    '',
    'Usage: lapidary <command> <arguments> [<options>]',
    '',
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `  <database url>  ${urlForms}`,
    '',
    '  lapidary <command> --help  lists the options of a command',
    '  lapidary --version         prints the version',
    '',
    'Exit codes: 0 after success, 1 if doctor finds a violation or a server cannot stop in time, 2 after any other error.',
  ].join('\n')
}

/** Formats the output of `lapidary <command> --help`. */
export function formatCommandHelp(name: CommandName): string {
  const { summary, flags, settings, examples, ...others }: CommandDescription = commands[name]
  const { arguments: taken = databaseArgument(name) } = others
  const options = Object.entries({ ...flags, help: { help: 'print this help' } }).map(
    ([flag, { value, help }]: [string, { value?: string; help: string }]) =>
      [value === undefined ? `--${flag}` : `--${flag} ${value}`, help] as const,
  )
  const described = [...Object.entries(taken), ...options]
  const width = Math.max(...described.map(([flag]) => flag.length))
  const lines = formatSettings(settings)
  return [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    `Usage: lapidary ${name} ${Object.keys(taken).join(' ')} [<options>]`,
    '',
    ...described.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`),
    ...(lines.length > 0
      ? ['', 'Settings, each as a flag and an environment variable:', ...lines]
      : []),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n')
}

/** The argument of the commands that take a database url. */
function databaseArgument(name: CommandName): Readonly<Record<string, string>> {
  const unset = name === 'serve' ? ' (default: DATABASE_URL)' : ''
  return { '<database url>': urlForms + unset }
}

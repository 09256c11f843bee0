import { formatSettings } from '../process/settings.ts'
import { type CommandDescription, type CommandName, commands, databaseUrlHelp } from './commands.ts'

/** Formats the output of `lapidary --help`. */
export function formatHelp(): string {
  const names = Object.keys(commands)
  const width = Math.max(...names.map((name) => name.length))
  return [
    'Serves databases as JSON:API.',
    '',
    'Usage: lapidary <command> <database url> [<options>]',
    '',
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `  <database url>  ${databaseUrlHelp}`,
    '',
    '  lapidary <command> --help  lists the options of a command',
    '  lapidary --version         prints the version',
    '',
    'Exit codes: 0 after success, 1 if a server cannot stop in time, 2 after any other error.',
  ].join('\n')
}

/** Formats the output of `lapidary <command> --help`. */
export function formatCommandHelp(name: CommandName): string {
  const { summary, flags, settings, examples }: CommandDescription = commands[name]
  const options = Object.entries({ ...flags, help: { help: 'print this help' } }).map(
    ([flag, { value, help }]: [string, { value?: string; help: string }]) =>
      [value === undefined ? `--${flag}` : `--${flag} ${value}`, help] as const,
  )
  const width = Math.max(...options.map(([flag]) => flag.length))
  const lines = formatSettings(settings)
  return [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    `Usage: lapidary ${name} <database url> [<options>]`,
    '',
    `  ${'<database url>'.padEnd(width)}  ${databaseUrlHelp}${name === 'serve' ? ' (default: DATABASE_URL)' : ''}`,
    ...options.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`),
    ...(lines.length > 0
      ? ['', 'Settings, each as a flag and an environment variable:', ...lines]
      : []),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n')
}

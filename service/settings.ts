import { parseFlags } from '../process/parse-flags.ts'
import { findConflicts, serverSettings } from '../process/server-settings.ts'
import {
  collectTexts,
  formatSettings,
  integerBetween,
  oneOf,
  parseSettings,
  type SettingTable,
  type SettingTexts,
  type SettingValues,
  toFlag,
} from '../process/settings.ts'

/** The settings of the service: those of every server, with a default database, `migrate` and `idempotencyHours`. */
const table = {
  ...serverSettings,
  databaseUrl: { ...serverSettings.databaseUrl, default: 'sqlite:data/lapidary.db' },
  migrate: {
    ...oneOf('auto', 'only', 'off'),
    default: 'auto',
    help: 'auto creates missing tables, only creates them and exits, off does neither',
  },
  idempotencyHours: {
    ...integerBetween(1, 8760),
    default: '24',
    help: 'hours for which the response to a write with an Idempotency-Key is kept',
  },
} as const satisfies SettingTable

/** The parsed settings of the service. */
export type Settings = SettingValues<typeof table>

/** A parsed command line. */
type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'serve'; settings: Settings; demo: boolean }>

const flags = Object.fromEntries(
  Object.keys(table).map((name) => [toFlag(name), 'string' as const]),
)

/**
 * Parses the command line and the environment. A flag overrides the environment variable of the same setting.
 * @throws Error with a one-line message that names every invalid setting
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const { texts, switches, positionals } = parseFlags(args, {
    ...flags,
    help: 'boolean',
    demo: 'boolean',
  })
  if (switches.has('help')) return { is: 'help' }
  const [positional] = positionals
  if (positional !== undefined)
    throw new Error(`there is no argument '${positional}'; --help lists the options`)
  const settings = parseServiceSettings(collectTexts(table, texts, environment))
  return { is: 'serve', settings, demo: switches.has('demo') }
}

/**
 * Parses the settings of the service. Absent settings get their defaults.
 * @throws Error with a one-line message that names every invalid setting
 */
export function parseServiceSettings(texts: SettingTexts = {}): Settings {
  return parseSettings(table, texts, findConflicts)
}

/** Formats the output of `--help`. */
export function formatHelp(): string {
  const width = Math.max(...Object.keys(flags).map((flag) => flag.length))
  return [
    'Serves persons and computers as JSON:API 1.0.',
    '',
    'Usage: npm start -- [--demo] [--help] [--<setting> <value> …]',
    '',
    'Settings, each as a flag and an environment variable:',
    ...formatSettings(table),
    '',
    `  --${'demo'.padEnd(width)} fills an empty database with a few hundred persons and computers`,
    `  --${'help'.padEnd(width)} prints this help`,
  ].join('\n')
}

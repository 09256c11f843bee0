import { type FlagTypes, type ParsedFlags, parseFlags } from '../process/parse-flags.ts'
import { findConflicts } from '../process/server-settings.ts'
import {
  collectTexts,
  oneOf,
  parseSettings,
  type SettingValues,
  toFlag,
} from '../process/settings.ts'
import { suggestName } from '../process/suggest-name.ts'
import { type CommandDescription, type CommandName, commands, serveSettings } from './commands.ts'
import type { TypeNames } from './name-tables.ts'

/** The settings of `lapidary serve`, with the database url. */
export type ServeSettings = SettingValues<typeof serveSettings> & { readonly databaseUrl: string }

/** A parsed command line. */
export type Command =
  | Readonly<{ is: 'help'; command: CommandName | undefined }>
  | Readonly<{ is: 'version' }>
  | ServeCommand
  | IntrospectCommand
  | InitCommand

/** `lapidary serve`. */
export interface ServeCommand {
  readonly is: 'serve'
  readonly settings: ServeSettings
  readonly types: TypeNames
  readonly write: boolean
  /** Whether it prints every warning instead of their number. */
  readonly warnings: boolean
}

/** `lapidary introspect`. */
export interface IntrospectCommand {
  readonly is: 'introspect'
  readonly databaseUrl: string
  readonly types: TypeNames
  /** Absent when the declarations are printed. */
  readonly folder: string | undefined
  readonly force: boolean
}

/** `lapidary init`. */
export interface InitCommand {
  readonly is: 'init'
  readonly databaseUrl: string
  readonly types: TypeNames
  /** The folder of the project. */
  readonly folder: string
  readonly force: boolean
}

/**
 * Parses the arguments of the `lapidary` command.
 * @param environment - the settings that no flag gives
 * @throws Error with a one-line message that names the invalid argument
 */
export function parseCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Command {
  const [first, ...rest] = args
  if (first === undefined || first.startsWith('-')) return parseWithoutCommand(args)
  const name = commandNamed(first)
  const parsed = parseFlags(rest, flagTypesOf(commands[name]))
  if (parsed.switches.has('help')) return { is: 'help', command: name }
  return name === 'serve' ? parseServe(parsed, environment) : parseGenerate(name, parsed)
}

function parseWithoutCommand(args: readonly string[]): Command {
  const { switches } = parseFlags(args, { help: 'boolean', version: 'boolean' })
  if (switches.has('version')) return { is: 'version' }
  if (switches.has('help')) return { is: 'help', command: undefined }
  throw new Error(`a command is missing; ${listCommands()}`)
}

function commandNamed(text: string): CommandName {
  const names = Object.keys(commands)
  if (isCommandName(text)) return text
  const nearest = suggestName(text, names)
  const hint = nearest === undefined ? listCommands() : `did you mean "${nearest}"?`
  throw new Error(`there is no command "${text}"; ${hint}`)
}

function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(commands, text)
}

function listCommands(): string {
  return `the commands are ${Object.keys(commands).join(', ')}; --help describes them`
}

function flagTypesOf({ flags, settings }: CommandDescription): FlagTypes {
  return Object.fromEntries([
    ['help', 'boolean'] as const,
    ...Object.keys(settings).map((name) => [toFlag(name), 'string'] as const),
    ...Object.entries(flags).map(
      ([name, { value }]) => [name, value === undefined ? 'boolean' : 'string'] as const,
    ),
  ])
}

function parseServe(
  { texts, switches, positionals }: ParsedFlags,
  environment: NodeJS.ProcessEnv,
): ServeCommand {
  const { DATABASE_URL } = environment
  const databaseUrl =
    positionals.length === 0 && DATABASE_URL ? DATABASE_URL : oneUrl('serve', positionals)
  const settings = parseSettings(
    serveSettings,
    collectTexts(serveSettings, texts, environment),
    findConflicts,
  )
  return {
    is: 'serve',
    settings: { ...settings, databaseUrl },
    types: parseTypes(texts.types, 'plural'),
    write: switches.has('write'),
    warnings: switches.has('warnings'),
  }
}

function parseGenerate(
  is: 'introspect' | 'init',
  { texts, switches, positionals }: ParsedFlags,
): IntrospectCommand | InitCommand {
  const { out } = texts
  if (out === '') throw new Error('--out must name a folder')
  const databaseUrl = oneUrl(is, positionals)
  const force = switches.has('force')
  if (is === 'init')
    return { is, databaseUrl, types: parseTypes(texts.types, 'plural'), folder: out ?? '.', force }
  return { is, databaseUrl, types: parseTypes(texts.types, 'singular'), folder: out, force }
}

function parseTypes(text: string | undefined, unset: TypeNames): TypeNames {
  if (text === undefined) return unset
  const { read, expected } = oneOf('plural', 'singular')
  const types = read(text)
  if (types === undefined) throw new Error(`--types must be ${expected}; it is "${text}"`)
  return types
}

function oneUrl(command: CommandName, positionals: readonly string[]): string {
  const [url, ...others] = positionals
  if (url === undefined || others.length > 0)
    throw new Error(`${command} takes one database url, e.g. lapidary ${command} sqlite:music.db`)
  return url
}

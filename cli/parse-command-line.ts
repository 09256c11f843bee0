import { type FlagTypes, type ParsedFlags, parseFlags } from '../process/parse-flags.ts'
import { findConflicts } from '../process/server-settings.ts'
import {
  collectTexts,
  integerBetween,
  oneOf,
  parseSettings,
  type SettingValues,
  toFlag,
} from '../process/settings.ts'
import { suggestName } from '../process/suggest-name.ts'
import { type CommandDescription, type CommandName, commands, serveSettings } from './commands.ts'
import type { TypeNames } from './introspect/name-tables.ts'

/** The settings of `lapidary serve`, with the database url. */
type ServeSettings = SettingValues<typeof serveSettings> & { readonly databaseUrl: string }

/** A parsed command line. */
export type Command =
  | Readonly<{ is: 'help'; command: CommandName | undefined }>
  | Readonly<{ is: 'version' }>
  | ServeCommand
  | IntrospectCommand
  | InitCommand
  | ExplainCommand
  | DoctorCommand
  | AccessCommand
  | DescribeCommand
  | Readonly<{ is: 'idempotency' }>

/** `lapidary serve`. */
export interface ServeCommand {
  readonly is: 'serve'
  readonly settings: ServeSettings
  readonly types: TypeNames
  /** The columns that are served although they look secret. */
  readonly show: readonly string[]
  readonly write: boolean
  /** Whether it prints every warning instead of their number. */
  readonly warnings: boolean
}

/** `lapidary introspect`. */
export interface IntrospectCommand {
  readonly is: 'introspect'
  readonly databaseUrl: string
  readonly types: TypeNames
  /** The columns that are served although they look secret. */
  readonly show: readonly string[]
  /** Absent when the declarations are printed. */
  readonly folder: string | undefined
  readonly force: boolean
}

/** `lapidary init`. */
export interface InitCommand {
  readonly is: 'init'
  readonly databaseUrl: string
  readonly types: TypeNames
  /** The columns that are served although they look secret. */
  readonly show: readonly string[]
  /** The folder of the project. */
  readonly folder: string
  readonly force: boolean
}

/** The source of `explain` and `doctor`: the declarations of a module or of the tables of a database. */
export interface SourceOptions {
  /** A TypeScript or JavaScript module, or a database url. */
  readonly source: string
  /** The database of a module that exports no store. */
  readonly databaseUrl: string | undefined
  /** The names of the types, for a database url. */
  readonly types: TypeNames
}

/** `lapidary explain`. */
export interface ExplainCommand extends SourceOptions {
  readonly is: 'explain'
  /** The URL or path of the request. */
  readonly url: string
  readonly prefix: string
  /** The auth context of the request. */
  readonly auth: unknown
  /** Whether it prints JSON. */
  readonly json: boolean
  /** The secrets of the server whose cursors the request may have. */
  readonly secret: readonly string[] | undefined
}

/** `lapidary doctor`. */
export interface DoctorCommand extends SourceOptions {
  readonly is: 'doctor'
  /** The auth context of all requests. */
  readonly auth: unknown
  /** The maximum number of resources of each type to examine. */
  readonly sample: number
  /** The header fields of requests over HTTP. */
  readonly headers: Readonly<Record<string, string>>
}

/** `lapidary access`. */
export interface AccessCommand extends SourceOptions {
  readonly is: 'access'
  /** The method and URL of the request to explain; absent for the table of all types. */
  readonly request: string | undefined
  /** Each is JSON, or the path of a file with JSON. */
  readonly identities: readonly string[]
  /** The document of the request; `undefined` for one without fields. */
  readonly body: unknown
  readonly prefix: string
  /** Whether it prints JSON. */
  readonly json: boolean
}

/** `lapidary openapi` and `lapidary routes`. */
export interface DescribeCommand extends Pick<SourceOptions, 'source' | 'types'> {
  readonly is: 'openapi' | 'routes'
  readonly prefix: string
  /** The auth context of an identity; undefined for everything. */
  readonly auth: unknown
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
  switch (name) {
    case 'serve':
      return parseServe(parsed, environment)
    case 'explain':
      return parseExplain(parsed, environment)
    case 'doctor':
      return parseDoctor(parsed, environment)
    case 'access':
      return parseAccess(parsed, environment)
    case 'openapi':
    case 'routes':
      return parseDescribe(name, parsed)
    case 'idempotency':
      return parseIdempotency(parsed)
    default:
      return parseGenerate(name, parsed)
  }
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
  { texts, lists, switches, positionals }: ParsedFlags,
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
    show: parseShow(lists.show),
    write: switches.has('write'),
    warnings: switches.has('warnings'),
  }
}

function parseGenerate(
  is: 'introspect' | 'init',
  { texts, lists, switches, positionals }: ParsedFlags,
): IntrospectCommand | InitCommand {
  const { out } = texts
  if (out === '') throw new Error('--out must name a folder')
  const databaseUrl = oneUrl(is, positionals)
  const common = { databaseUrl, show: parseShow(lists.show), force: switches.has('force') }
  if (is === 'init')
    return { is, types: parseTypes(texts.types, 'plural'), folder: out ?? '.', ...common }
  return { is, types: parseTypes(texts.types, 'singular'), folder: out, ...common }
}

function parseExplain(
  { texts, switches, positionals }: ParsedFlags,
  environment: NodeJS.ProcessEnv,
): ExplainCommand {
  const { DATABASE_URL } = environment
  const [source, url] = positionals.length === 1 ? [DATABASE_URL, ...positionals] : positionals
  if (!source || url === undefined || positionals.length > 2)
    throw new Error(
      "explain takes declarations and a url, e.g. lapidary explain sqlite:music.db '/albums?sort=title'",
    )
  const { prefix = '' } = texts
  const json = switches.has('json')
  const { settings } = commands.explain
  const { secret } = parseSettings(settings, collectTexts(settings, texts, environment))
  const read = { url: parseReadUrl(url), prefix, json, secret }
  return { is: 'explain', ...parseSource(texts, source, DATABASE_URL), ...read }
}

/** Reads the request of `explain`: a path or a URL, optionally with GET in front, as for `access`. */
function parseReadUrl(text: string): string {
  const [, method = 'GET', url = text] = /^([A-Z]+) +(.*)$/s.exec(text) ?? []
  if (method !== 'GET') throw new Error(`explain takes a GET request; it is "${text}"`)
  if (url.startsWith('/') || /^https?:\/\//.test(url)) return url
  throw new Error(`explain takes a path such as /albums, or a URL; it is "${url}"`)
}

function parseDoctor(
  { texts, lists, positionals }: ParsedFlags,
  { DATABASE_URL }: NodeJS.ProcessEnv,
): DoctorCommand {
  const [source, ...others] = positionals
  if (source === undefined || others.length > 0)
    throw new Error(
      'doctor takes declarations or the url of an API, e.g. lapidary doctor sqlite:music.db',
    )
  const { read, expected } = integerBetween(1, 1_000_000)
  const sample = read(texts.sample ?? '100')
  if (sample === undefined) throw new Error(`--sample must be ${expected}; it is "${texts.sample}"`)
  const headers = Object.fromEntries((lists.header ?? []).map(parseHeader))
  return { is: 'doctor', ...parseSource(texts, source, DATABASE_URL), sample, headers }
}

function parseHeader(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new Error(`--header must be a name and a value, e.g. 'x-api-key: 1'; it is "${text}"`)
}

function parseAccess(
  { texts, lists, switches, positionals }: ParsedFlags,
  { DATABASE_URL }: NodeJS.ProcessEnv,
): AccessCommand {
  const [source, request, ...others] = positionals
  if (source === undefined || others.length > 0)
    throw new Error(
      "access takes declarations and may take a request, e.g. lapidary access model.ts 'PATCH /issues/1'",
    )
  const { auth: _auth, ...options } = parseSource(texts, source, DATABASE_URL)
  return {
    is: 'access',
    ...options,
    request,
    identities: lists.identity ?? ['null'],
    body: parseJson('body', texts.body, '{"data":null}'),
    prefix: parsePrefix(texts.prefix),
    json: switches.has('json'),
  }
}

function parseDescribe(
  is: DescribeCommand['is'],
  { texts, positionals }: ParsedFlags,
): DescribeCommand {
  const [source, ...others] = positionals
  if (source === undefined || others.length > 0)
    throw new Error(`${is} takes declarations, e.g. lapidary ${is} resources/index.ts`)
  return {
    is,
    source,
    types: parseTypes(texts.types, 'plural'),
    prefix: parsePrefix(texts.prefix),
    auth: parseJson('auth', texts.auth, '{"id":"1"}'),
  }
}

function parseIdempotency({ positionals }: ParsedFlags): Command {
  if (positionals.length === 1 && positionals[0] === 'sql') return { is: 'idempotency' }
  throw new Error('idempotency takes what to print: lapidary idempotency sql')
}

function parsePrefix(prefix = ''): string {
  if (prefix === '' || /^\/[^?#]*[^?#/]$/.test(prefix)) return prefix
  throw new Error(`--prefix must be a path such as /api, without a final slash; it is "${prefix}"`)
}

function parseSource(
  texts: ParsedFlags['texts'],
  source: string,
  unset: string | undefined,
): SourceOptions & Readonly<{ auth: unknown }> {
  const databaseUrl = texts['database-url'] ?? (unset || undefined)
  return {
    source,
    databaseUrl,
    types: parseTypes(texts.types, 'plural'),
    auth: parseJson('auth', texts.auth, '{"id":"1"}'),
  }
}

function parseJson(flag: string, text: string | undefined, example: string): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`--${flag} must be JSON, e.g. --${flag} '${example}'; it is '${text}'`)
  }
}

function parseShow(lists: readonly string[] = []): string[] {
  return lists.flatMap((list) => list.split(',').map((name) => name.trim()))
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

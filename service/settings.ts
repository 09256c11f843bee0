import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import * as v from 'valibot'

/** A whole number written in digits. */
const whole = (least: number, most: number) => {
  const complaint = `must be a whole number from ${least} to ${most}`
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, complaint),
    v.transform(Number),
    v.minValue(least, complaint),
    v.maxValue(most, complaint),
  )
}

const origin = v.pipe(
  v.string(),
  v.check(isOrigin, 'must be an origin such as https://api.example.org, without a path'),
)
const basePath = v.pipe(
  v.string(),
  v.regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be a path such as /api, without a final slash'),
)
const databaseUrl = v.pipe(
  v.string(),
  v.check(isDatabase, 'must be sqlite:<path>, sqlite::memory: or postgres://<host>/<database>'),
)
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const largest = Number.MAX_SAFE_INTEGER

/** Every setting: how its text is read, the text that stands in when there is none, and what `--help` says. */
const table = {
  host: {
    reads: v.pipe(v.string(), v.nonEmpty('must not be empty')),
    unset: '127.0.0.1',
    help: 'address to listen on',
  },
  port: { reads: whole(0, 65_535), unset: '3000', help: 'port to listen on; 0 takes any free one' },
  databaseUrl: {
    reads: databaseUrl,
    unset: 'sqlite:data/lapidary.db',
    help: 'sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>/<database>',
  },
  databaseReplicaUrls: {
    reads: v.pipe(
      v.string(),
      v.transform((text) => text.split(/[\s,]+/).filter((url) => url !== '')),
      v.everyItem(isPostgres, 'must be postgres://… addresses, commas between'),
    ),
    unset: '',
    help: 'PostgreSQL: standbys of the database to read from, commas between',
  },
  databasePool: {
    reads: whole(1, 10_000),
    unset: '10',
    help: 'PostgreSQL: the most connections of each process to a database',
  },
  databaseQueue: {
    reads: whole(0, largest),
    unset: '1000',
    help: 'requests that may wait for a connection, an expensive read or a write; more get 503',
  },
  databaseTimeout: {
    reads: whole(1, 2 ** 30),
    unset: '10000',
    help: 'ms that a read may take; PostgreSQL: also to wait for a connection, and that a write may take',
  },
  databaseReaders: {
    reads: whole(1, 64),
    unset: '2',
    help: 'SQLite: the most processes that run expensive reads; started when needed',
  },
  statementCache: {
    reads: whole(1_048_576, largest),
    unset: '67108864',
    help: 'bytes of compiled statements that each process keeps',
  },
  databasePooler: {
    reads: v.picklist(['none', 'transaction'], 'must be none or transaction'),
    unset: 'none',
    help: 'PostgreSQL: transaction, behind a pooler such as PgBouncer in that mode',
  },
  migrate: {
    reads: v.picklist(['auto', 'only', 'off'], 'must be auto, only or off'),
    unset: 'auto',
    help: 'the tables: make what is missing, make it and end, or leave them',
  },
  workers: {
    reads: v.pipe(
      v.string(),
      v.regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto or a whole number from 1 to 999'),
      v.transform((text) => (text === 'auto' ? availableParallelism() : Number(text))),
    ),
    unset: '1',
    help: 'processes that answer, at one address; auto is one for each core',
  },
  basePath: { reads: basePath, unset: '', help: 'in front of every path, e.g. /api' },
  publicUrl: {
    reads: v.optional(origin),
    unset: undefined,
    help: "origin of absolute links; else the request's host",
  },
  pageSize: {
    reads: whole(1, largest),
    unset: '30',
    help: 'resources on a page unless page[size] says otherwise',
  },
  maxPageSize: {
    reads: v.optional(whole(1, largest)),
    unset: undefined,
    help: 'largest page[size]; else any, and 0 for all',
  },
  maxResources: {
    reads: v.optional(whole(1, largest)),
    unset: undefined,
    help: 'most resources in a response, included ones counted',
  },
  maxConnections: {
    reads: whole(1, 1_000_000),
    unset: '4096',
    help: 'most client connections of each process; more get 503',
  },
  maxConnectionsPerAddress: {
    reads: whole(1, 1_000_000),
    unset: '2048',
    help: 'most client connections of one address; more get 503',
  },
  queueTimeout: {
    reads: whole(1, 2 ** 30),
    unset: '1000',
    help: 'ms that a request may wait before the server begins with it; later it gets 503',
  },
  sendTimeout: {
    reads: whole(1, 2 ** 30),
    unset: '60000',
    help: 'ms after which a connection is closed that accepts no data',
  },
  allowedHosts: {
    reads: v.pipe(
      v.string(),
      v.transform((text) => text.split(/[\s,]+/).filter((host) => host !== '')),
    ),
    unset: '',
    help: 'values of the Host header that are served, commas between; empty for any',
  },
  maxBody: { reads: whole(1, 2 ** 30), unset: '1048576', help: 'largest request body, in bytes' },
  logLevel: {
    reads: v.picklist(levels, `must be one of ${levels.join(', ')}`),
    unset: 'info',
    help: levels.join(', '),
  },
  idMismatch: {
    reads: v.picklist(['discard', 'conflict'], 'must be discard or conflict'),
    unset: 'discard',
    help: "an update's id that is not the path's: discard it, or conflict (409)",
  },
  clientIds: {
    reads: v.picklist(['discard', 'forbid'], 'must be discard or forbid'),
    unset: 'discard',
    help: "a create's id: discard it, or forbid it (403)",
  },
} as const

type Name = keyof typeof table

/** What the service is told from outside, read and checked. */
export type Settings = { readonly [Each in Name]: v.InferOutput<(typeof table)[Each]['reads']> }

/** What a command line asks for. */
export type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'serve'; settings: Settings; demo: boolean }>
  | Readonly<{ is: 'refuse'; complaint: string }>

const names = Object.keys(table) as Name[]
const flagOf = (name: Name): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const variableOf = (name: Name): string => flagOf(name).replaceAll('-', '_').toUpperCase()

/**
 * Reads the command line and the environment; a flag goes before a variable.
 * @returns what to do; `refuse` with one line that names every wrong setting
 */
export function readCommand(words: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const flags = Object.fromEntries(names.map((name) => [flagOf(name), { type: 'string' as const }]))
  const switches = { help: { type: 'boolean' as const }, demo: { type: 'boolean' as const } }
  try {
    const parsed = parseArgs({ args: [...words], options: { ...flags, ...switches } })
    const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values
    if (values.help) return { is: 'help' }
    const texts = names.map((name) => [
      name,
      textOf(values[flagOf(name)]) ?? environment[variableOf(name)],
    ])
    return {
      is: 'serve',
      settings: readSettings(Object.fromEntries(texts)),
      demo: values.demo === true,
    }
  } catch (error) {
    return { is: 'refuse', complaint: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Reads settings from texts; what is absent takes its default.
 * @throws Error with one line that names every wrong setting
 */
export function readSettings(texts: Readonly<Partial<Record<Name, string | undefined>>>): Settings {
  const complaints: string[] = []
  const read = names.map((name) => {
    const { reads, unset } = table[name]
    const result = v.safeParse(reads, texts[name] ?? unset)
    if (!result.success)
      complaints.push(
        `${variableOf(name)} ${result.issues[0].message}; it is "${withoutPasswords(texts[name])}"`,
      )
    return [name, result.success ? result.output : undefined]
  })
  const { pageSize, maxPageSize, databaseUrl, workers } = Object.fromEntries(read)
  if (databaseUrl === 'sqlite::memory:' && Number(workers) > 1)
    complaints.push('WORKERS must be 1 for sqlite::memory:, which no two processes share')
  if (texts.pageSize !== undefined && Number(pageSize) > Number(maxPageSize ?? largest)) {
    complaints.push(
      `PAGE_SIZE must not be above MAX_PAGE_SIZE; they are ${pageSize} and ${maxPageSize}`,
    )
  }
  if (complaints.length > 0) throw new Error(complaints.join('; '))
  // Each name was read by its own row of the table.
  return Object.fromEntries(read) as Settings
}

/** What `--help` prints. */
export function helpText(): string {
  const width = Math.max(...names.map((name) => flagOf(name).length))
  const rows = names.map((name) => {
    const { unset, help } = table[name]
    const shown = unset === undefined ? 'none' : unset === '' ? 'empty' : unset
    const [flag, variable] = [flagOf(name).padEnd(width), variableOf(name).padEnd(width)]
    return `  --${flag} ${variable} ${help} (default: ${shown})`
  })
  return [
    'Serves persons and computers as JSON:API 1.0.',
    '',
    'Usage: npm start -- [--demo] [--help] [--<setting> <value> …]',
    '',
    'Settings, each a flag and an environment variable:',
    ...rows,
    '',
    `  --${'demo'.padEnd(width)} fills an empty database with a few hundred persons and computers`,
    `  --${'help'.padEnd(width)} prints this`,
  ].join('\n')
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isDatabase(text: string): boolean {
  return isPostgres(text) || /^sqlite:.+$/s.test(text)
}

function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)
}

/** What may be printed of a setting that is wrong. */
function withoutPasswords(text = ''): string {
  return text.replace(/(?<=:\/\/[^\s/]*:)[^\s/]*(?=@)/g, '…')
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#]+$/.test(text) && !text.includes('@')
}

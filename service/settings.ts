import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import * as v from 'valibot'

/** A setting that is an integer in decimal digits. */
const integerBetween = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, message),
    v.transform(Number),
    v.minValue(minimum, message),
    v.maxValue(maximum, message),
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
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const largestInteger = Number.MAX_SAFE_INTEGER

/** Every setting: the schema that parses its text, the text of its default, and its description in `--help`. */
const table = {
  host: {
    schema: v.pipe(v.string(), v.nonEmpty('must not be empty')),
    default: '127.0.0.1',
    help: 'address to listen on',
  },
  port: {
    schema: integerBetween(0, 65_535),
    default: '3000',
    help: 'port to listen on; 0 chooses a free port',
  },
  databaseUrl: {
    schema: databaseUrl,
    default: 'sqlite:data/lapidary.db',
    help: 'sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>/<database>',
  },
  databaseReplicaUrls: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => text.split(/[\s,]+/).filter((url) => url !== '')),
      v.everyItem(isPostgres, 'must be postgres://… urls, comma-separated'),
    ),
    default: '',
    help: 'PostgreSQL: standby servers to read from, comma-separated',
  },
  databasePool: {
    schema: integerBetween(1, 10_000),
    default: '10',
    help: 'PostgreSQL: maximum number of connections per process to a database',
  },
  databaseQueue: {
    schema: integerBetween(0, largestInteger),
    default: '1000',
    help: 'maximum number of requests that wait for a connection, an expensive read or a write; further ones get 503',
  },
  databaseTimeout: {
    schema: integerBetween(1, 2 ** 30),
    default: '10000',
    help: 'maximum duration of a read, in ms; PostgreSQL: also of a write and of waiting for a connection',
  },
  databaseReaders: {
    schema: integerBetween(1, 64),
    default: '2',
    help: 'SQLite: maximum number of processes for expensive reads; started on demand',
  },
  statementCache: {
    schema: integerBetween(1_048_576, largestInteger),
    default: '67108864',
    help: 'bytes of compiled statements that each process caches',
  },
  databasePooler: {
    schema: v.picklist(['none', 'transaction'], 'must be none or transaction'),
    default: 'none',
    help: 'PostgreSQL: transaction if a pooler such as PgBouncer in transaction mode is in front',
  },
  migrate: {
    schema: v.picklist(['auto', 'only', 'off'], 'must be auto, only or off'),
    default: 'auto',
    help: 'auto creates missing tables, only creates them and exits, off does neither',
  },
  workers: {
    schema: v.pipe(
      v.string(),
      v.regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto or a whole number from 1 to 999'),
      v.transform((text) => (text === 'auto' ? availableParallelism() : Number(text))),
    ),
    default: '1',
    help: 'server processes that share one address; auto starts one per CPU core',
  },
  basePath: { schema: basePath, default: '', help: 'prefix of every path, e.g. /api' },
  publicUrl: {
    schema: v.optional(origin),
    default: undefined,
    help: 'origin of absolute links; without it, the Host header of the request',
  },
  pageSize: {
    schema: integerBetween(1, largestInteger),
    default: '30',
    help: 'resources per page if the request has no page[size]',
  },
  maxPageSize: {
    schema: v.optional(integerBetween(1, largestInteger)),
    default: undefined,
    help: 'largest page[size]; without it, any size, and 0 for all resources',
  },
  maxResources: {
    schema: v.optional(integerBetween(1, largestInteger)),
    default: undefined,
    help: 'maximum number of resources in a response, including included ones',
  },
  maxConnections: {
    schema: integerBetween(1, 1_000_000),
    default: '4096',
    help: 'maximum number of client connections per process; further ones get 503',
  },
  maxConnectionsPerAddress: {
    schema: integerBetween(1, 1_000_000),
    default: '2048',
    help: 'maximum number of client connections per address; further ones get 503',
  },
  queueTimeout: {
    schema: integerBetween(1, 2 ** 30),
    default: '1000',
    help: 'ms that a request may wait before the server processes it; then it gets 503',
  },
  sendTimeout: {
    schema: integerBetween(1, 2 ** 30),
    default: '60000',
    help: 'ms after which the server closes a connection that accepts no data',
  },
  allowedHosts: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => text.split(/[\s,]+/).filter((host) => host !== '')),
    ),
    default: '',
    help: 'accepted values of the Host header, comma-separated; empty accepts all',
  },
  maxBody: {
    schema: integerBetween(1, 2 ** 30),
    default: '1048576',
    help: 'maximum size of a request body, in bytes',
  },
  logLevel: {
    schema: v.picklist(logLevels, `must be one of ${logLevels.join(', ')}`),
    default: 'info',
    help: logLevels.join(', '),
  },
  idMismatch: {
    schema: v.picklist(['discard', 'conflict'], 'must be discard or conflict'),
    default: 'discard',
    help: 'an id in an update that differs from the path: discard it, or conflict (409)',
  },
  clientIds: {
    schema: v.picklist(['discard', 'forbid'], 'must be discard or forbid'),
    default: 'discard',
    help: 'an id in a create request: discard it, or forbid it (403)',
  },
} as const

type SettingName = keyof typeof table

/** The parsed settings of the service. */
export type Settings = {
  readonly [Each in SettingName]: v.InferOutput<(typeof table)[Each]['schema']>
}

/** A parsed command line. */
export type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'serve'; settings: Settings; demo: boolean }>
  | Readonly<{ is: 'invalid'; message: string }>

const names = Object.keys(table) as SettingName[]
const toFlag = (name: SettingName): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const toVariable = (name: SettingName): string => toFlag(name).replaceAll('-', '_').toUpperCase()

/**
 * Parses the command line and the environment. A flag overrides the environment variable of the same setting.
 * @returns the command; `invalid` with a one-line message that names every invalid setting
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const flags = Object.fromEntries(names.map((name) => [toFlag(name), { type: 'string' as const }]))
  const switches = { help: { type: 'boolean' as const }, demo: { type: 'boolean' as const } }
  try {
    const parsed = parseArgs({ args: [...args], options: { ...flags, ...switches } })
    const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values
    if (values.help) return { is: 'help' }
    const texts = names.map((name) => [
      name,
      stringOrUndefined(values[toFlag(name)]) ?? environment[toVariable(name)],
    ])
    return {
      is: 'serve',
      settings: parseSettings(Object.fromEntries(texts)),
      demo: values.demo === true,
    }
  } catch (error) {
    return { is: 'invalid', message: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Parses settings. Absent settings get their defaults.
 * @throws Error with a one-line message that names every invalid setting
 */
export function parseSettings(
  texts: Readonly<Partial<Record<SettingName, string | undefined>>>,
): Settings {
  const errors: string[] = []
  const entries = names.map((name) => {
    const { schema, default: defaultText } = table[name]
    const result = v.safeParse(schema, texts[name] ?? defaultText)
    if (!result.success)
      errors.push(
        `${toVariable(name)} ${result.issues[0].message}; it is "${redactPasswords(texts[name])}"`,
      )
    return [name, result.success ? result.output : undefined]
  })
  const { pageSize, maxPageSize, databaseUrl, workers } = Object.fromEntries(entries)
  if (databaseUrl === 'sqlite::memory:' && Number(workers) > 1)
    errors.push('WORKERS must be 1 for sqlite::memory:, which processes cannot share')
  if (texts.pageSize !== undefined && Number(pageSize) > Number(maxPageSize ?? largestInteger)) {
    errors.push(
      `PAGE_SIZE must not be above MAX_PAGE_SIZE; they are ${pageSize} and ${maxPageSize}`,
    )
  }
  if (errors.length > 0) throw new Error(errors.join('; '))
  // The schema of each row gives its entry this type.
  return Object.fromEntries(entries) as Settings
}

/** Formats the output of `--help`. */
export function formatHelp(): string {
  const width = Math.max(...names.map((name) => toFlag(name).length))
  const rows = names.map((name) => {
    const { default: text, help } = table[name]
    const defaultText = text === undefined ? 'none' : text === '' ? 'empty' : text
    const [flag, variable] = [toFlag(name).padEnd(width), toVariable(name).padEnd(width)]
    return `  --${flag} ${variable} ${help} (default: ${defaultText})`
  })
  return [
    'Serves persons and computers as JSON:API 1.0.',
    '',
    'Usage: npm start -- [--demo] [--help] [--<setting> <value> …]',
    '',
    'Settings, each as a flag and an environment variable:',
    ...rows,
    '',
    `  --${'demo'.padEnd(width)} fills an empty database with a few hundred persons and computers`,
    `  --${'help'.padEnd(width)} prints this help`,
  ].join('\n')
}

function stringOrUndefined(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isDatabase(text: string): boolean {
  return isPostgres(text) || /^sqlite:.+$/s.test(text)
}

function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)
}

/** Replaces passwords in URLs, so that error messages do not contain them. */
function redactPasswords(text = ''): string {
  return text.replace(/(?<=:\/\/[^\s/]*:)[^\s/]*(?=@)/g, '…')
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#]+$/.test(text) && !text.includes('@')
}

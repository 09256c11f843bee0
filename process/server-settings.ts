import { availableParallelism } from 'node:os'
import { isDatabaseUrl, isPrivateDatabase, shortUrlForms } from './databases.ts'
import {
  integerBetween,
  listWhere,
  oneOf,
  type SettingTable,
  type SettingValues,
  textWhere,
} from './settings.ts'

const logLevels: readonly string[] = 'trace debug info warn error fatal silent'.split(' ')
const largestInteger = Number.MAX_SAFE_INTEGER
const positiveInteger = integerBetween(1, largestInteger)
const milliseconds = integerBetween(1, 2 ** 30)

/** The minimum number of characters of a secret, as that of the option `secret` of a model. */
const minimumSecret = 16

/** The settings of every server: of the persons/computers service and of `lapidary serve`. */
export const serverSettings = {
  host: {
    ...textWhere((text) => text !== '', 'a host name or an IP address'),
    default: '127.0.0.1',
    help: 'address to listen on',
  },
  port: {
    ...integerBetween(0, 65_535),
    default: '3000',
    help: 'port to listen on; 0 chooses a free port',
  },
  databaseUrl: {
    ...textWhere((text) => isDatabaseUrl(text), shortUrlForms),
    default: undefined,
    help: 'sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>/<database>',
  },
  databaseReplicaUrls: {
    ...listWhere(isReplicaUrl, 'postgres://… urls, comma-separated'),
    default: '',
    help: 'PostgreSQL: standby servers to read from, comma-separated',
  },
  databasePool: {
    ...integerBetween(1, 10_000),
    default: '10',
    help: 'PostgreSQL: maximum number of connections per process to a database',
  },
  databaseQueue: {
    ...integerBetween(0, largestInteger),
    default: '1000',
    help: 'maximum number of requests that wait for a connection, an expensive read or a write; further ones get 503',
  },
  databaseTimeout: {
    ...milliseconds,
    default: '10000',
    help: 'maximum duration of a read, in ms; PostgreSQL: also of a write and of waiting for a connection',
  },
  databaseReaders: {
    ...integerBetween(1, 64),
    default: '2',
    help: 'SQLite: maximum number of processes for expensive reads; started on demand',
  },
  statementCache: {
    ...integerBetween(1_048_576, largestInteger),
    default: '67108864',
    help: 'bytes of compiled statements that each process caches',
  },
  databasePooler: {
    ...oneOf('none', 'transaction'),
    default: 'none',
    help: 'PostgreSQL: transaction if a pooler such as PgBouncer in transaction mode is in front',
  },
  workers: {
    read: (text: string) => {
      if (text === 'auto') return availableParallelism()
      return integerBetween(1, 999).read(text)
    },
    expected: 'auto or a whole number from 1 to 999',
    default: '1',
    help: 'server processes that share one address; auto starts one per CPU core',
  },
  basePath: {
    ...textWhere(isBasePath, 'a path such as /api, without a final slash'),
    default: '',
    help: 'prefix of every path, e.g. /api',
  },
  publicUrl: {
    ...textWhere(isOrigin, 'an origin such as https://api.example.org, without a path'),
    default: undefined,
    help: 'origin of absolute links; without it, the Host header of the request',
  },
  pageSize: {
    ...positiveInteger,
    default: '30',
    help: 'resources per page if the request has no page[size]',
  },
  maxPageSize: {
    ...positiveInteger,
    default: undefined,
    help: 'largest page[size]; without it, any size, and 0 for all resources',
  },
  pages: {
    ...oneOf('numbers', 'cursors'),
    default: 'numbers',
    help: 'what the links of a list lead to: page numbers, or cursors, where page[number] is 400',
  },
  maxResources: {
    ...positiveInteger,
    default: undefined,
    help: 'maximum number of resources in a response, including included ones',
  },
  maxConnections: {
    ...integerBetween(1, 1_000_000),
    default: '4096',
    help: 'maximum number of client connections per process; further ones get 503',
  },
  queueTimeout: {
    ...milliseconds,
    default: '1000',
    help: 'ms that a request may wait before the server processes it; then it gets 503',
  },
  sendTimeout: {
    ...milliseconds,
    default: '60000',
    help: 'ms in which a client must accept 64 KiB of a response, or the rest of it; then the server closes the connection',
  },
  notFoundInterval: {
    ...integerBetween(0, 10_000),
    default: '0',
    help: 'ms; with access rules for rows, a 404 is sent a multiple of it after the request; 0 sends it at once',
  },
  allowedHosts: {
    ...listWhere(() => true, 'host names, comma-separated'),
    default: '',
    help: 'accepted values of the Host header, comma-separated, or *; empty accepts all, but on a loopback address without PUBLIC_URL only localhost, 127.0.0.1 and [::1]',
  },
  allowedOrigins: {
    ...listWhere(isPageOrigin, 'origins such as https://app.example, comma-separated'),
    default: '',
    help: 'origins of other web pages that may write, comma-separated',
  },
  maxBody: {
    ...integerBetween(1, 2 ** 30),
    default: '1048576',
    help: 'maximum size of a request body, in bytes',
  },
  methodOverride: {
    ...oneOf('on', 'off'),
    default: 'off',
    help: 'on reads POST with X-HTTP-Method-Override: QUERY as the method QUERY, which some proxies do not know',
  },
  openapi: {
    ...oneOf('on', '3.2', 'off'),
    default: 'on',
    help: 'on describes the API at /openapi.json, and each resource type by a JSON Schema; 3.2 in that version of OpenAPI, with the method QUERY',
  },
  secret: {
    read: readSecrets,
    expected: `a text of at least ${minimumSecret} characters without commas, or two, comma-separated`,
    default: undefined,
    help: 'secret from which the keys of cursors and other tokens are derived; new,old accepts those of both; without it a random one, so that they end with the process',
    isSecret: true,
  },
  logLevel: {
    ...oneOf(...logLevels),
    default: 'info',
    help: logLevels.join(', '),
  },
  shutdownDelay: {
    // Together with the time for pending requests, less than the 30 seconds that Kubernetes waits.
    ...integerBetween(0, 10_000),
    default: '0',
    help: 'ms that the server serves on after SIGTERM, while /health/ready responds 503',
  },
  accessLog: {
    ...oneOf('on', 'off'),
    default: 'on',
    help: 'on logs one line for each request, at level info',
  },
  metricsPort: {
    ...integerBetween(0, 65_535),
    default: undefined,
    help: 'port of GET /metrics for Prometheus, which needs the package prom-client; without it, none',
  },
  metricsHost: {
    ...textWhere((text) => text !== '', 'a host name or an IP address'),
    default: '127.0.0.1',
    help: 'address of METRICS_PORT',
  },
  slowStatement: {
    ...milliseconds,
    default: undefined,
    help: 'ms from which a statement is logged, at most once a minute, with the index that it lacks; without it, none is',
  },
  serverTiming: {
    ...oneOf('on', 'off'),
    default: 'off',
    help: 'on sends the durations of the parts of a request in Server-Timing',
  },
  html: {
    ...oneOf('on', 'off'),
    default: 'on',
    help: 'on shows browsers a page at every address, off sends JSON to every client',
  },
  explain: {
    ...oneOf('on', 'off'),
    default: 'on',
    help: 'on links each page to its SQL, with the query plan and the indexes that it lacks',
  },
  idMismatch: {
    ...oneOf('discard', 'conflict'),
    default: undefined,
    help: 'an id in an update that differs from the path: discard it, or conflict (409); without it, discard, and conflict in JSON:API 1.1 and in operations',
  },
  clientIds: {
    ...oneOf('discard', 'forbid'),
    default: 'discard',
    help: 'an id in a create request: discard it, or forbid it (403)',
  },
  jsonapiVersion: {
    ...oneOf('1.0', '1.1'),
    default: '1.0',
    help: 'the version of JSON:API that all routes speak',
  },
  atomic: {
    ...oneOf('off', 'on'),
    default: undefined,
    help: 'on writes several resources in one transaction at POST /operations, by the extension Atomic Operations; without it, off, and on in JSON:API 1.1',
  },
  maxOperations: {
    ...positiveInteger,
    default: '100',
    help: 'maximum number of operations of a request to /operations',
  },
} as const satisfies SettingTable

/** The parsed settings that start a server. The database url is known by now; page sizes are part of the model. */
export type ServerSettings = Omit<
  SettingValues<typeof serverSettings>,
  'databaseUrl' | 'maxPageSize'
> & { readonly databaseUrl: string }

/** Returns the errors of server settings that contradict each other. */
export function findConflicts(values: Readonly<Record<string, unknown>>): string[] {
  const { pageSize, maxPageSize, databaseUrl, workers } = values
  const isTooLarge = Number(pageSize) > Number(maxPageSize ?? largestInteger)
  return [
    ...(isPrivateDatabase(String(databaseUrl)) && Number(workers) > 1
      ? [`WORKERS must be 1 for ${databaseUrl}, which processes cannot share`]
      : []),
    ...(isTooLarge
      ? [`PAGE_SIZE must not be above MAX_PAGE_SIZE; they are ${pageSize} and ${maxPageSize}`]
      : []),
  ]
}

/** Reads `new,old`. The texts are not trimmed: other processes have to derive the same keys. */
function readSecrets(text: string): readonly string[] | undefined {
  const secrets = text.split(',')
  return secrets.length <= 2 && secrets.every((each) => [...each].length >= minimumSecret)
    ? secrets
    : undefined
}

function isReplicaUrl(text: string): boolean {
  return isDatabaseUrl(text, ['postgres'])
}

function isBasePath(text: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*$/.test(text)
}

/** As browsers send it in the field `Origin`, also for pages of other schemes, such as those of browser extensions. */
function isPageOrigin(text: string): boolean {
  const isOther = /^(?!https?:)[a-z][a-z\d+.-]*:\/\/[^/?#@]+$/.test(text)
  return isOther || (isOrigin(text) && new URL(text).origin === text)
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#]+$/.test(text) && !text.includes('@')
}

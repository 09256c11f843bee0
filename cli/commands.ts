import { serverSettings } from '../process/server-settings.ts'
import type { SettingTable } from '../process/settings.ts'

/** A flag of a command that is not a setting. */
interface Flag {
  /** The placeholder of its value, e.g. `<folder>`; absent for a switch. */
  readonly value?: string
  readonly help: string
}

/** A command of `lapidary`. */
export interface CommandDescription {
  /** A short description of its effect. */
  readonly summary: string
  /** The arguments and what they are; a database url if absent. */
  readonly arguments?: Readonly<Record<string, string>>
  readonly flags: Readonly<Record<string, Flag>>
  /** Settings, each of which is also an environment variable. */
  readonly settings: SettingTable
  /** Command lines that work. */
  readonly examples: readonly string[]
}

const { databaseUrl: _argument, ...others } = serverSettings

/** The settings of `lapidary serve`: those of every server. The database url is an argument. */
export const serveSettings = {
  ...others,
  // The tables may be large, so clients do not get all rows at once by default.
  maxPageSize: {
    read: (text: string) => (text === 'none' ? null : serverSettings.maxPageSize.read(text)),
    expected: `none or ${serverSettings.maxPageSize.expected}`,
    default: '1000',
    help: 'largest page[size]; none allows any size, and 0 for all resources',
  },
} as const satisfies SettingTable

/** The flag that `serve`, `init` and `introspect` share, with the default of the command. */
function typesFlag(unset: 'plural' | 'singular'): Flag {
  return {
    value: '<names>',
    help: `plural: types are named like the path, e.g. invoice-lines; singular: like one resource, e.g. invoiceLine (default: ${unset})`,
  }
}

/** The flag of `serve`, `init` and `introspect` for columns that look secret. */
const showFlag: Flag = {
  value: '<columns>',
  help: 'serve columns although they look secret, e.g. users.pass_hint,files.key; may be repeated',
}

/** The flags that `explain` and `doctor` share. */
const sourceFlags = {
  'database-url': {
    value: '<database url>',
    help: 'the database of a module that exports no store (default: DATABASE_URL)',
  },
  types: typesFlag('plural'),
  auth: { value: '<json>', help: 'the auth context, for declarations with access rules' },
} as const satisfies Readonly<Record<string, Flag>>

/** The argument of `explain` and `doctor`. */
const sourceHelp =
  'a module that exports model or resources, and may export store; or a database url, whose tables are declared in memory'

const identityFlag: Flag = {
  value: '<json>',
  help: 'an auth context: leaves out what its access rules refuse; null for a request without one (default: everything)',
}

const prefixFlag: Flag = {
  value: '<path>',
  help: 'the beginning of every path, e.g. /api (default: none)',
}

/** The commands, by name. */
export const commands = {
  serve: {
    summary:
      'serves the tables of a database as JSON:API, without writing a file; clients can only read',
    flags: {
      write: { help: 'clients can also create, update and delete' },
      types: typesFlag('plural'),
      show: showFlag,
      warnings: {
        help: 'print the warnings about missing indexes, collations and other differences',
      },
    },
    settings: serveSettings,
    examples: [
      'lapidary serve sqlite:music.db',
      'lapidary serve postgres://me@localhost/music --port 8080',
    ],
  },
  init: {
    summary: 'writes declarations of the tables, a main.ts that serves them, and a package.json',
    flags: {
      out: { value: '<folder>', help: 'the folder of the project (default: this folder)' },
      types: typesFlag('plural'),
      show: showFlag,
      force: { help: 'overwrite existing declarations and main.ts' },
    },
    settings: {},
    examples: ['lapidary init sqlite:music.db'],
  },
  introspect: {
    summary: 'writes declarations of the tables, and nothing else',
    flags: {
      out: {
        value: '<folder>',
        help: 'write one file per resource type and an index.ts; without it, print everything',
      },
      types: typesFlag('singular'),
      show: showFlag,
      force: { help: 'overwrite existing files' },
    },
    settings: {},
    examples: ['lapidary introspect sqlite:music.db --out resources'],
  },
  explain: {
    summary: 'prints the SQL of a request with its query plan, and the indexes that it lacks',
    arguments: {
      '<declarations>': `${sourceHelp} (default: DATABASE_URL)`,
      '<url>': 'the URL or path of a GET request',
    },
    flags: {
      ...sourceFlags,
      prefix: { value: '<path>', help: 'the beginning of every path, e.g. /api' },
      json: { help: 'print JSON' },
    },
    settings: { secret: serverSettings.secret },
    examples: [
      "lapidary explain sqlite:music.db '/albums?filter[year]=1843&include=artist'",
      "lapidary explain resources/index.ts '/albums?sort=-title' --database-url sqlite:music.db",
    ],
  },
  doctor: {
    summary: 'checks declarations against their data, or an API over HTTP; it only reads',
    arguments: { '<declarations>': `${sourceHelp}; or the http url of an API` },
    flags: {
      ...sourceFlags,
      sample: { value: '<number>', help: 'resources of each type to examine (default: 100)' },
      header: {
        value: '<name: value>',
        help: 'a header field of the requests to an http url; may be repeated',
      },
    },
    settings: {},
    examples: [
      'lapidary doctor resources/index.ts --database-url sqlite:music.db',
      "lapidary doctor http://127.0.0.1:3000/api --header 'authorization: Bearer …'",
    ],
  },
  access: {
    summary:
      'prints the rights of identities by the access rules, or explains their effect on a request',
    arguments: {
      '<declarations>': sourceHelp,
      '[<request>]': "a method and a URL or path, e.g. 'PATCH /issues/1'; it is not executed",
    },
    flags: {
      identity: {
        value: '<json>',
        help: 'an auth context, an array of several, or a file of either; may be repeated (default: null, a request without one)',
      },
      body: { value: '<json>', help: 'the document of the request (default: one without fields)' },
      'database-url': sourceFlags['database-url'],
      types: sourceFlags.types,
      prefix: prefixFlag,
      json: { help: 'print JSON' },
    },
    settings: {},
    examples: [
      `lapidary access model.ts --identity '{"id":"1","role":"member"}' --identity null`,
      `lapidary access model.ts 'PATCH /issues/1' --identity '{"id":"1"}' --database-url sqlite:tracker.db`,
    ],
  },
  openapi: {
    summary: 'prints the OpenAPI document of declarations, or of the tables of a database',
    arguments: { '<declarations>': sourceHelp },
    flags: { types: typesFlag('plural'), prefix: prefixFlag, auth: identityFlag },
    settings: {},
    examples: ['lapidary openapi resources/index.ts', 'lapidary openapi sqlite:music.db'],
  },
  routes: {
    summary: 'prints the methods and paths of declarations, or of the tables of a database',
    arguments: { '<declarations>': sourceHelp },
    flags: { types: typesFlag('plural'), prefix: prefixFlag, auth: identityFlag },
    settings: {},
    examples: ['lapidary routes resources/index.ts --prefix /api'],
  },
  idempotency: {
    summary: 'prints the SQL of the table that Idempotency-Key needs',
    arguments: { sql: 'what to print' },
    flags: {},
    settings: {},
    examples: [
      'lapidary idempotency sql | sqlite3 music.db',
      'lapidary idempotency sql | psql music',
    ],
  },
} as const satisfies Readonly<Record<string, CommandDescription>>

/** The name of a command. */
export type CommandName = keyof typeof commands

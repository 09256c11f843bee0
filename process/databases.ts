import type { DialectName, Model, Store } from 'lapidary'

/** The settings of a server that concern its database. */
interface DatabaseSettings {
  readonly databaseTimeout: number
  readonly databaseQueue: number
  readonly statementCache: number
  readonly maxResources: number | undefined
  readonly sendTimeout: number
  readonly databaseReaders: number
  readonly databasePool: number
  readonly databaseReplicaUrls: readonly string[]
  readonly databasePooler: 'none' | 'transaction'
}

/** How a store is opened. */
interface OpenOptions {
  /** Whether the database must exist and is neither written nor converted, as far as the store can promise it. Default false. */
  readonly readOnly?: boolean | undefined
  /** Those of a server. Default: what a command needs that ends soon. */
  readonly settings?: DatabaseSettings
}

/** A database that a process can open. */
interface OpenableDatabase {
  /** The schemes of its urls. */
  readonly schemes: readonly string[]
  readonly isUrl: (text: string) => boolean
  /** The form of its urls, for messages. */
  readonly form: string
  /** The forms of its urls in a message about a setting. */
  readonly shortForms: readonly string[]
  /** Opens a store. Only the driver that it needs is loaded. */
  readonly open: (model: Model, url: string, options: OpenOptions) => Promise<Store>
  /** Whether each process has a database of its own by the url; absent if none has. */
  readonly isPrivate?: (url: string) => boolean
}

const databases: Readonly<Record<DialectName, OpenableDatabase>> = {
  sqlite: {
    schemes: ['sqlite'],
    isUrl: (text) => /^sqlite:.+$/s.test(text),
    form: 'sqlite:<path>',
    shortForms: ['sqlite:<path>', 'sqlite::memory:'],
    async open(model, url, { readOnly = false, settings }) {
      const { openSqlite } = await import('lapidary/sqlite')
      return openSqlite(model, url.slice('sqlite:'.length), {
        readOnly,
        ...(settings && {
          timeout: settings.databaseTimeout,
          queueSize: settings.databaseQueue,
          statementCache: settings.statementCache,
          maxResources: settings.maxResources,
          readers: settings.databaseReaders,
          create: !readOnly,
        }),
      })
    },
    isPrivate: (url) => url === 'sqlite::memory:',
  },
  postgres: {
    schemes: ['postgres', 'postgresql'],
    isUrl: (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text),
    form: 'postgres://<user>:<password>@<host>/<database>',
    shortForms: ['postgres://<host>/<database>'],
    async open(model, url, { settings }) {
      const { openPostgres } = await import('lapidary/postgres')
      if (settings === undefined) return openPostgres(model, url, { poolSize: 2 })
      return openPostgres(model, url, {
        timeout: settings.databaseTimeout,
        queueSize: settings.databaseQueue,
        statementCache: settings.statementCache,
        maxResources: settings.maxResources,
        replicaUrls: settings.databaseReplicaUrls,
        poolSize: settings.databasePool,
        sendTimeout: settings.sendTimeout,
        keepsSessions: settings.databasePooler === 'none',
      })
    },
  },
}

// They are the keys of the table.
const names = Object.keys(databases) as readonly DialectName[]
const all = Object.values(databases)

/** The forms of the urls of databases, for messages. */
export const urlForms: string = joinForms(all.map(({ form }) => form))
/** The same with further forms and without users. */
export const shortUrlForms: string = joinForms(all.flatMap(({ shortForms }) => shortForms))
/** What the urls of databases begin with. */
export const urlBeginnings: string = joinForms(all.map(({ schemes: [first] }) => `${first}:`))

function joinForms(forms: readonly string[]): string {
  return `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`
}

/** Finds the database that a url names by its scheme; `undefined` if it names none. */
export function findDatabase(url: string): DialectName | undefined {
  return names.find((name) =>
    databases[name].schemes.some((scheme) => url.startsWith(`${scheme}:`)),
  )
}

/** Whether a text is the url of a database, or of one of some. */
export function isDatabaseUrl(text: string, of: readonly DialectName[] = names): boolean {
  return of.some((name) => databases[name].isUrl(text))
}

/** Whether each process has a database of its own by a url. */
export function isPrivateDatabase(url: string): boolean {
  const name = findDatabase(url)
  return name !== undefined && databases[name].isPrivate?.(url) === true
}

/**
 * Opens the database of a url.
 * @throws Error when the file cannot be opened, the driver is not installed, or the url is that of no database
 */
export async function openStore(model: Model, url: string, options: OpenOptions): Promise<Store> {
  const name = findDatabase(url)
  // The message does not repeat the url, because it may contain a password.
  if (name === undefined) throw new Error(`the database url must be ${urlForms}`)
  return databases[name].open(model, url, options)
}

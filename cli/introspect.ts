import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Catalog, SampleRequest, StoredColumn, TableSample } from 'lapidary'
import { suggestName } from '../process/suggest-name.ts'
import {
  describeMissingSetting,
  findCompileSettings,
  formatCompileSettings,
} from './compile-settings.ts'
import { formatFiles, formatSingleFile, writeFiles } from './introspect/format-files.ts'
import { formatOmissions } from './introspect/format-omissions.ts'
import {
  type Declarations,
  type GenerateOptions,
  generateDeclarations,
} from './introspect/generate-declarations.ts'
import { inspectCatalog } from './introspect/inspect-catalog.ts'
import { findDerivedSecrets } from './introspect/secrets.ts'
import type { IntrospectCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary introspect`: writes or prints the declarations of a database. What they omit is printed at the end, on the
 * standard error if the declarations are printed. Files get a `tsconfig.json` if none applies to their folder.
 * @throws Error with a one-line message
 */
export async function introspect(command: IntrospectCommand): Promise<void> {
  const { databaseUrl, types, show, folder, force } = command
  const declarations = await readDeclarations(databaseUrl, { types, show, checksAllRows: true })
  if (folder === undefined) {
    process.stdout.write(formatSingleFile(declarations))
    for (const line of formatOmissions(declarations)) console.error(line)
    return
  }
  const settings = findCompileSettings(folder)
  const files = [
    ...formatFiles(declarations),
    ...(settings ? [] : [{ name: 'tsconfig.json', text: formatCompileSettings() }]),
  ]
  writeFiles(folder, files, force)
  console.log(`${folder}: ${files.map(({ name }) => name).join(', ')}`)
  const missing = settings ? describeMissingSetting(settings) : []
  for (const line of [...formatOmissions(declarations), ...missing]) console.log(line)
}

/** How the declarations of a database are made. */
interface ReadDeclarationsOptions extends Omit<GenerateOptions, 'findings'> {
  /**
   * Whether all rows are searched for values that are not of their kind, because a program with the declarations will reject such a
   * value. Default false: the declarations are those of a model with lenient attributes.
   */
  readonly checksAllRows?: boolean
  /** The columns that are served although they look secret, as `users.pass_crypt`. Default: none. */
  readonly show?: readonly string[]
}

/**
 * Generates the declarations of a database by its catalog and the first rows of its tables.
 * @throws Error with a one-line message when the database cannot be read, or no table can be a resource
 */
export async function readDeclarations(
  databaseUrl: string,
  { checksAllRows, show = [], ...options }: ReadDeclarationsOptions,
): Promise<Declarations> {
  const catalog = await readCatalog(databaseUrl)
  const sample = (requests: readonly SampleRequest[]) => sampleDatabase(databaseUrl, requests)
  const shown = findColumns(catalog, show)
  const found = { ...(await inspectCatalog(catalog, sample, { checksAllRows })), shown }
  const findings = { ...found, derived: findDerivedSecrets(catalog, found) }
  const declarations = generateDeclarations(catalog, { ...options, findings })
  if (declarations.resources.length > 0) return declarations
  const reasons = declarations.omitted.join('; ')
  throw new Error(`no table can be a resource: ${reasons}`)
}

/**
 * Finds the columns of `--show`.
 * @param names - each as `users.pass_crypt`, or with the schema in front
 * @throws Error with a one-line message and the nearest name for one that does not exist
 */
function findColumns({ tables }: Catalog, names: readonly string[]): ReadonlySet<StoredColumn> {
  const columns = new Map(
    tables.flatMap(({ schema, name, columns }) =>
      [...columns.values()].flatMap((column) => {
        const path = `${name}.${column.name}`
        return [[path, column] as const, [`${schema}.${path}`, column] as const]
      }),
    ),
  )
  return new Set(
    names.map((name) => {
      const column = columns.get(name)
      if (column !== undefined) return column
      const nearest = suggestName(name, [...columns.keys()])
      const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
      throw new Error(`--show must name columns as <table>.<column>; there is no "${name}"${hint}`)
    }),
  )
}

/** How to read the catalog of each database, by the scheme of its URL. Only the driver in use is loaded. */
const readers: readonly (readonly [
  scheme: RegExp,
  read: (url: string, rest: string) => Promise<Catalog>,
])[] = [
  [/^sqlite:(.+)$/s, (_, path) => readSqlite(path)],
  [/^postgres(?:ql)?:\/\/(.+)$/s, (url) => readPostgres(url)],
]

// The message does not repeat the URL, because it may contain a password.
const invalidUrl =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/**
 * Reads the catalog of a database: its tables, columns, keys and foreign keys. Writes nothing.
 * @param databaseUrl - e.g. `sqlite:music.db` or `postgres://me@localhost/music`
 * @throws Error with a one-line message when the URL is invalid, the database cannot be read, or it has no tables
 */
export async function readCatalog(databaseUrl: string): Promise<Catalog> {
  for (const [scheme, read] of readers) {
    const rest = scheme.exec(databaseUrl)?.[1]
    if (rest === undefined) continue
    const catalog = await read(databaseUrl, rest)
    if (catalog.tables.length === 0)
      throw new Error('the database has no tables; create them first, or check the database url')
    return catalog
  }
  const isPath = !databaseUrl.includes(':')
  throw new Error(isPath ? `${invalidUrl}; did you mean sqlite:${databaseUrl}?` : invalidUrl)
}

/** Reads the first rows of tables of a database whose catalog was read. Writes nothing. */
export async function sampleDatabase(
  databaseUrl: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1]
  if (path === undefined) {
    const { samplePostgres } = await import('lapidary/postgres')
    return samplePostgres(databaseUrl, requests)
  }
  const { sampleSqlite } = await import('lapidary/sqlite')
  return sampleSqlite(path, requests)
}

async function readSqlite(path: string): Promise<Catalog> {
  if (path === ':memory:') throw new Error('a new in-memory database has no tables')
  if (!existsSync(path)) throw new Error(`there is no file ${path}${suggestFile(path)}`)
  if (statSync(path).isDirectory())
    throw new Error(`${path} is a folder; name a file in it${suggestFile(join(path, 'a'))}`)
  const { readSqliteCatalog } = await import('lapidary/sqlite')
  try {
    return readSqliteCatalog(path)
  } catch (error) {
    const problem = describeSqliteError(error)
    throw problem === undefined ? error : new Error(`${path} ${problem}`, { cause: error })
  }
}

async function readPostgres(url: string): Promise<Catalog> {
  if (!URL.canParse(url)) throw new Error(invalidUrl)
  const { readPostgresCatalog } = await import('lapidary/postgres')
  try {
    return await readPostgresCatalog(url)
  } catch (error) {
    if (!isDriverMissing(error)) throw error
    const command = 'npx --package lapidary --package pg lapidary'
    throw new Error(`${error.message}, or run the command as "${command} …"`, { cause: error })
  }
}

/** True if the driver `pg`, an optional peer dependency, is not installed. */
function isDriverMissing(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
}

/** Suggests a file in place of a missing one, as the end of an error's sentence; empty if the folder has no database. */
function suggestFile(path: string): string {
  const folder = dirname(path)
  const files = existsSync(folder) ? readdirSync(folder) : []
  const databases = files.filter((name) => /\.(?:db3?|sqlite3?)$/i.test(name))
  const nearest = suggestName(basename(path), databases)
  if (nearest !== undefined) return `; did you mean ${join(folder, nearest)}?`
  return databases.length > 0 ? `; the folder has ${databases.sort().join(', ')}` : ''
}

/** Describes an error of SQLite, as the end of a sentence about a file; `undefined` for any other error. */
function describeSqliteError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined
  // https://sqlite.org/rescode.html#notadb
  return error.errcode === 26 ? 'is not a SQLite database' : `cannot be read: ${error.message}`
}

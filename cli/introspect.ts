import type { Catalog, SampleRequest, StoredColumn, TableSample } from 'lapidary'
import { suggestName } from '../process/suggest-name.ts'
import {
  describeMissingSetting,
  findCompileSettings,
  formatCompileSettings,
} from './compile-settings.ts'
import { findCommandDatabase } from './databases/databases.ts'
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

/**
 * Reads the catalog of a database: its tables, columns, keys and foreign keys. Writes nothing.
 * @param databaseUrl - e.g. `sqlite:music.db` or `postgres://me@localhost/music`
 * @throws Error with a one-line message when the URL is invalid, the database cannot be read, or it has no tables
 */
export async function readCatalog(databaseUrl: string): Promise<Catalog> {
  const catalog = await findCommandDatabase(databaseUrl).readCatalog(databaseUrl)
  if (catalog.tables.length > 0) return catalog
  throw new Error('the database has no tables; create them first, or check the database url')
}

/** Reads the first rows of tables of a database whose catalog was read. Writes nothing. */
export async function sampleDatabase(
  databaseUrl: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  return findCommandDatabase(databaseUrl).sample(databaseUrl, requests)
}

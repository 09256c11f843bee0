import { defineModel, type Model } from 'lapidary'
import { runServer } from '../process/run-server.ts'
import {
  type Application,
  prepareDatabase,
  type RunningServer,
  startServer,
  toAtomicOptions,
  toPageOptions,
} from '../process/start-server.ts'
import { evaluateDeclarations } from './introspect/evaluate-declarations.ts'
import { formatOmissions } from './introspect/format-omissions.ts'
import type { Declarations } from './introspect/generate-declarations.ts'
import { readDeclarations } from './introspect.ts'
import type { ServeCommand } from './parse-command-line.ts'

/** The model that `lapidary serve` serves, with the facts of its summary. */
interface ServedDatabase {
  readonly application: Application
  readonly declarations: Declarations
  readonly warnings: string[]
  readonly unserved: string[]
}

/**
 * Runs `lapidary serve`: serves the tables of a database until a signal stops it.
 * @returns when the server listens
 * @throws Error with a one-line message
 */
export async function serve(command: ServeCommand): Promise<void> {
  const { settings } = command
  const served = await readDatabase(command)
  await runServer(settings, {
    start: (startSettings): Promise<RunningServer> =>
      startServer(served.application, startSettings),
    prepare: (startSettings) => prepareDatabase(served.application, startSettings),
    formatGreeting: (url, database) =>
      formatSummary({
        url: url + settings.basePath,
        database,
        model: served.application.model,
        declarations: served.declarations,
        write: command.write,
        warnings: served.warnings,
        unserved: served.unserved,
        printsWarnings: command.warnings,
      }),
  })
}

/** Reads the tables of the database and declares them in memory. */
async function readDatabase({
  settings,
  types,
  show,
  write,
}: ServeCommand): Promise<ServedDatabase> {
  const { databaseUrl, clientIds, idMismatch, pageSize, maxPageSize, secret, pages } = settings
  const { jsonapiVersion } = settings
  const declarations = await readDeclarations(databaseUrl, { types, show, readOnly: !write })
  const resources = evaluateDeclarations(declarations)
  const [warnings, unserved]: [string[], string[]] = [[], []]
  const application: Application = {
    model: defineModel(resources, {
      ...{ clientIds, idMismatch, pageSize, maxPageSize, secret, pages: toPageOptions(pages) },
      jsonapi: jsonapiVersion,
      atomic: write && toAtomicOptions(settings),
      invalidValues: 'lenient',
    }),
    title: 'The tables of a database',
    rootMeta: { description: `The tables of a database, by JSON:API ${jsonapiVersion}.` },
    readOnly: !write,
    onWarnings: (found, foundUnserved) => {
      warnings.push(...found.filter((line) => !foundUnserved.includes(line)))
      unserved.push(...foundUnserved)
    },
  }
  return { application, declarations, warnings, unserved }
}

/** The content of the summary. */
interface Summary {
  /** The address of the root document. */
  readonly url: string
  /** A description of the database, e.g. `SQLite at music.db`. */
  readonly database: string
  readonly model: Model
  readonly declarations: Declarations
  /** Whether clients can write. */
  readonly write: boolean
  /** The warnings of `store.verify` that name rows which are not served. */
  readonly unserved: readonly string[]
  /** Its other warnings. */
  readonly warnings: readonly string[]
  /** Whether to print them instead of their number. */
  readonly printsWarnings: boolean
}

/** The maximum number of lines about what is omitted. */
const maxOmitted = 20

/** Formats what `lapidary serve` prints when it listens: what it serves, what it omits and why, and URLs to try. */
export function formatSummary(summary: Summary): string {
  const { url, database, model, declarations, unserved, write } = summary
  const paths = [...model.types.values()].map(({ path }) => path.slice(1))
  return [
    ...declarations.omitted,
    ...unserved,
    `Lapidary serves ${database}${write ? '' : ', read-only,'} at ${url}. Try:`,
    ...pathsToTry(model).map((path) => `  ${url}${path}`),
    `${paths.length} ${paths.length === 1 ? 'collection' : 'collections'}: ${paths.join(', ')}`,
    ...formatOmissions({ ...declarations, omitted: [] }, maxOmitted),
    ...warningLines(summary),
    write
      ? 'Every client can create, update and delete: nothing authenticates clients.'
      : 'With --write, clients can also create, update and delete.',
    'To rename, hide and compute fields, write the declarations with lapidary init <database url>.',
  ].join('\n')
}

/** The root document, a collection with included resources, and a sorted page. */
function pathsToTry(model: Model): string[] {
  const fields = [...model.types.values()].flatMap(({ path, table, fields: all }) =>
    // The list of a function needs arguments.
    table.call
      ? []
      : [...all.values()].map((field) => ({ path, field, name: encodeURIComponent(field.name) })),
  )
  const related = fields.find(({ field }) => field.is === 'relationship' && !field.many)
  const sorted = fields.find(({ field }) => field.is === 'attribute' && field.isSortable)
  return [
    '',
    ...(related ? [`${related.path}?include=${related.name}`] : []),
    ...(sorted ? [`${sorted.path}?page[size]=5&sort=-${sorted.name}`] : []),
  ]
}

function warningLines({ warnings, printsWarnings }: Summary): string[] {
  if (warnings.length === 0) return []
  if (printsWarnings) return warnings.map((warning) => `warning: ${warning}`)
  const noun = warnings.length === 1 ? 'warning' : 'warnings'
  return [`${warnings.length} ${noun} about indexes or types; --warnings prints them`]
}

import { defineModel } from 'lapidary'
import { runServer } from '../process/run-server.ts'
import {
  type Application,
  prepareDatabase,
  type RunningServer,
  startServer,
} from '../process/start-server.ts'
import { evaluateDeclarations } from './evaluate-declarations.ts'
import { formatSummary } from './format-summary.ts'
import type { Declarations } from './generate-declarations.ts'
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
  const { databaseUrl, clientIds, idMismatch, pageSize, maxPageSize } = settings
  const declarations = await readDeclarations(databaseUrl, { types, show, readOnly: !write })
  const resources = evaluateDeclarations(declarations)
  const [warnings, unserved]: [string[], string[]] = [[], []]
  const application: Application = {
    model: defineModel(resources, {
      ...{ clientIds, idMismatch, pageSize, maxPageSize },
      invalidValues: 'lenient',
    }),
    title: 'The tables of a database',
    rootMeta: { description: 'The tables of a database, by JSON:API 1.0.' },
    readOnly: !write,
    onWarnings: (found, foundUnserved) => {
      warnings.push(...found.filter((line) => !foundUnserved.includes(line)))
      unserved.push(...foundUnserved)
    },
  }
  return { application, declarations, warnings, unserved }
}

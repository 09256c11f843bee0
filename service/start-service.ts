import cluster from 'node:cluster'
import { defineModel } from 'lapidary'
import packageJson from '../package.json' with { type: 'json' }
import {
  type Application,
  prepareDatabase,
  type RunningServer,
  startServer,
  toAtomicOptions,
  toPageOptions,
} from '../process/start-server.ts'
import { fillWithDemo } from './fill-with-demo.ts'
import { migrations } from './migrations.ts'
import { resources } from './resources/index.ts'
import { parseServiceSettings, type Settings } from './settings.ts'

/** A running service. */
export type RunningService = RunningServer

/**
 * Prepares the database and starts the service in this process.
 *
 * @param settings - the settings that differ from the defaults; `workers` is ignored
 * @param demo - whether to fill an empty database with demonstration data
 * @throws Error with a one-line message when the database cannot be opened, its tables do not match the declarations, or
 *   the port is in use
 */
export function startService(
  settings: Partial<Settings> = {},
  demo = false,
): Promise<RunningService> {
  const allSettings: Settings = { ...parseServiceSettings(), ...settings }
  return startServer(createApplication(allSettings, demo), allSettings)
}

/**
 * Prepares the database without starting the service, and closes it.
 * @returns a description of the database, e.g. `SQLite at data/lapidary.db`
 * @throws Error with a one-line message when the database cannot be opened or its tables do not match the declarations
 */
export function prepareService(settings: Settings, demo: boolean): Promise<string> {
  return prepareDatabase(createApplication(settings, demo), settings)
}

function createApplication(settings: Settings, demo: boolean): Application {
  const { clientIds, idMismatch, pageSize, basePath, maxPageSize = null, secret, pages } = settings
  const { idempotencyHours, jsonapiVersion } = settings
  // The supervisor has migrated the database before it started the workers.
  const isMigrated = settings.migrate === 'off' || cluster.isWorker
  return {
    model: defineModel(resources, {
      jsonapi: jsonapiVersion,
      clientIds,
      idMismatch,
      pageSize,
      maxPageSize,
      secret,
      pages: toPageOptions(pages),
      atomic: toAtomicOptions(settings),
      // The service has no identities: all clients share their keys.
      principal: () => 'service',
      idempotencyHours,
    }),
    title: 'Persons and computers',
    rootMeta: {
      description: `Persons and computers, by JSON:API ${jsonapiVersion}.`,
      version: packageJson.version,
    },
    migrate: (store) => store.migrate(migrations[store.dialect], isMigrated ? 'compare' : 'run'),
    onWarnings: (warnings) => {
      for (const warning of warnings) console.warn(`lapidary: ${warning}`)
    },
    ...(demo && { fill: (server) => fillWithDemo(server, basePath) }),
  }
}

import { startService } from '../../service/start-service.ts'

/** A server that a client calls. */
export interface RunningServer {
  readonly url: string
  close(): Promise<unknown>
}

/** Starts the persons/computers service below the prefix `/v1`. */
export function startPersons(databaseUrl: string): Promise<RunningServer> {
  return startService({ databaseUrl, port: 0, logLevel: 'silent', basePath: '/v1' }).then(
    ({ url, close }) => ({ url: `${url}/v1`, close: () => close() }),
  )
}

/** Starts the service on a temporary SQLite database. */
export function startOnSqlite(): Promise<RunningServer> {
  return startPersons('sqlite::memory:')
}

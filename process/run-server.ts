import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { setTimeout } from 'node:timers/promises'
import { serveWorkerMetrics } from './observe-process.ts'
import type { ServerSettings } from './server-settings.ts'
import type { RunningServer } from './start-server.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { killWorkers, superviseWorkers, supervisorLimit } from './supervise-workers.ts'
import { onSupervisorExit, reportListening, workerPort } from './worker.ts'

/** How a program starts its server. */
interface ServerProgram<Settings extends ServerSettings> {
  /** Starts the server in this process. */
  readonly start: (settings: Settings) => Promise<RunningServer>
  /** Prepares the database before workers start. @returns a description of the database */
  readonly prepare: (settings: Settings) => Promise<string>
  /** Formats what is printed when the server listens. @param url - scheme, host and port */
  readonly formatGreeting: (url: string, database: string) => string
}

/**
 * Serves in this process, or in worker processes, until SIGINT or SIGTERM.
 * @returns when the server listens
 * @throws Error with a one-line message when the server cannot start
 */
export async function runServer<Settings extends ServerSettings>(
  settings: Settings,
  { start, prepare, formatGreeting }: ServerProgram<Settings>,
): Promise<void> {
  if (cluster.isWorker) return runWorker(settings, start)
  warnAboutUnrestrictedHosts(settings)
  if (settings.workers === 1) {
    const stop = stopOnSignals()
    const server = await start(settings)
    stop.onStop(server.close)
    greet(formatGreeting(server.url, server.database), settings)
    void collectStartGarbage()
    return
  }
  const stop = stopOnSignals(supervisorLimit, killWorkers)
  const database = await prepare(settings)
  const { host, port, workers: count } = settings
  const secret = settings.secret ? undefined : randomBytes(32).toString('base64url')
  const workers = await superviseWorkers({ host, port, count, secret })
  const metrics = await serveWorkerMetrics(settings)
  stop.onStop(async () => {
    await workers.close()
    await metrics?.close()
  })
  const name = host.includes(':') ? `[${host}]` : host
  greet(formatGreeting(`http://${name}:${workers.port}`, database), settings)
}

/** Serves as one of several workers. The supervisor has already prepared the database. */
async function runWorker<Settings extends ServerSettings>(
  settings: Settings,
  start: ServerProgram<Settings>['start'],
): Promise<void> {
  const stop = stopOnSignals()
  const server = await start({ ...settings, port: workerPort() })
  onSupervisorExit(stop.request)
  stop.onStop(server.close)
  reportListening(server.url)
  void collectStartGarbage()
}

/**
 * Keeps the process running when the reader of its output closes the pipe (EPIPE). A server calls it before it prints.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Prints an error in one line, and makes the process end with exit code 2. */
export function exitWithError(error: unknown): void {
  console.error(`lapidary: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
  // A worker keeps running while it is connected to its supervisor.
  cluster.worker?.disconnect()
}

function greet(greeting: string, { secret }: ServerSettings): void {
  const hint = 'Without SECRET, cursors and other tokens are valid until the server stops.'
  console.log(secret === undefined ? `${greeting}\n${hint}` : greeting)
}

function warnAboutUnrestrictedHosts({ host, publicUrl, allowedHosts }: ServerSettings): void {
  if (isLoopback(host) || publicUrl !== undefined || allowedHosts.length > 0) return
  console.warn(
    `lapidary: HOST is ${host}, and neither PUBLIC_URL nor ALLOWED_HOSTS is set: absolute links repeat the Host header of the client.`,
  )
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}

/**
 * Frees the memory that only the start of a server needed: sources, compiled declarations, and the space that V8 reserved for them. V8
 * itself would keep it for as long as the server is idle: a quarter of its memory (bench/RESULTS.md). The collection blocks the event
 * loop for some 50 ms, so it does not delay the start.
 *
 * @param delay - the time from now to the collection, in milliseconds. It does not keep the process running
 */
export async function collectStartGarbage(delay = 1000): Promise<void> {
  await setTimeout(delay, undefined, { ref: false })
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}

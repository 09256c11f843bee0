import cluster from 'node:cluster'
import { formatHelp, parseCommandLine, type Settings } from './settings.ts'
import { prepareDatabase, startService } from './start-service.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { superviseWorkers, supervisorLimit } from './supervise-workers.ts'
import { onSupervisorExit, reportListening, workerPort } from './worker.ts'

/** Runs the command that the command line and the environment specify. */
export async function runCommand(): Promise<void> {
  // The service keeps running when the reader of its output closes the pipe (EPIPE).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const command = parseCommandLine(process.argv.slice(2), process.env)
  switch (command.is) {
    case 'help':
      console.log(formatHelp())
      break
    case 'invalid':
      exitWithError(command.message)
      break
    case 'serve':
      try {
        await serve(command.settings, command.demo)
      } catch (error) {
        exitWithError(error instanceof Error ? error.message : String(error))
      }
  }
}

async function serve(settings: Settings, demo: boolean): Promise<void> {
  if (cluster.isWorker) return runWorker(settings)
  if (settings.migrate === 'only') {
    console.log(`${await prepareDatabase(settings, demo)} is ready.`)
    return
  }
  warnAboutUnrestrictedHosts(settings)
  if (settings.workers === 1) {
    const stop = stopOnSignals()
    const service = await startService(settings, demo)
    stop.onStop(service.close)
    console.log(formatGreeting(service.url, service.database, settings))
    return
  }
  const stop = stopOnSignals(supervisorLimit)
  const database = await prepareDatabase(settings, demo)
  const { host, port, workers: count } = settings
  const workers = await superviseWorkers({ host, port, count })
  stop.onStop(workers.close)
  const name = host.includes(':') ? `[${host}]` : host
  console.log(formatGreeting(`http://${name}:${workers.port}`, database, settings))
}

/** Serves as one of several workers. The supervisor has already prepared the database. */
async function runWorker(settings: Settings): Promise<void> {
  const stop = stopOnSignals()
  const service = await startService({ ...settings, migrate: 'off', port: workerPort() })
  onSupervisorExit(stop.request)
  stop.onStop(service.close)
  reportListening(service.url)
}

function warnAboutUnrestrictedHosts({ host, publicUrl, allowedHosts }: Settings): void {
  if (isLoopback(host) || publicUrl !== undefined || allowedHosts.length > 0) return
  console.warn(
    `lapidary: HOST is ${host}, and neither PUBLIC_URL nor ALLOWED_HOSTS is set: absolute links repeat the Host header of the client.`,
  )
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}

function formatGreeting(url: string, database: string, { basePath, workers }: Settings): string {
  const subject = workers === 1 ? 'Lapidary' : `Lapidary, with ${workers} workers,`
  return [
    `${subject} listens at ${url}${basePath} and uses ${database}. Try:`,
    `  ${url}${basePath}/persons?include=computers`,
    `  ${url}${basePath}/persons?filter[name]=Ada%20Allen`,
    `  ${url}${basePath}/computers?sort=owner.name&include=owner`,
  ].join('\n')
}

function exitWithError(message: string): void {
  console.error(`lapidary: ${message}`)
  process.exitCode = 2
  // A worker keeps running while it is connected to its supervisor.
  cluster.worker?.disconnect()
}

import cluster from 'node:cluster'
import { helpText, readCommand, type Settings } from './settings.ts'
import { prepareDatabase, startService } from './start.ts'
import { stopOnSignals } from './stop.ts'
import { superviseWorkers, supervisorLimit } from './supervise.ts'
import { onSupervisorGone, reportListening, workerPort } from './worker.ts'

/** Does what the command line and the environment say. */
export async function runCommand(): Promise<void> {
  // Who has stopped reading what is printed here does not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const command = readCommand(process.argv.slice(2), process.env)
  switch (command.is) {
    case 'help':
      console.log(helpText())
      break
    case 'refuse':
      refuse(command.complaint)
      break
    case 'serve':
      try {
        await serve(command.settings, command.demo)
      } catch (error) {
        refuse(error instanceof Error ? error.message : String(error))
      }
  }
}

async function serve(settings: Settings, demo: boolean): Promise<void> {
  if (cluster.isWorker) return work(settings)
  if (settings.migrate === 'only') {
    console.log(`${await prepareDatabase(settings, demo)} is ready.`)
    return
  }
  warnOfHosts(settings)
  if (settings.workers === 1) {
    const stop = stopOnSignals()
    const service = await startService(settings, demo)
    stop.with(service.close)
    console.log(greeting(service.url, service.database, settings))
    return
  }
  const stop = stopOnSignals(supervisorLimit)
  const database = await prepareDatabase(settings, demo)
  const { host, port, workers: count } = settings
  const workers = await superviseWorkers({ host, port, count })
  stop.with(workers.close)
  const name = host.includes(':') ? `[${host}]` : host
  console.log(greeting(`http://${name}:${workers.port}`, database, settings))
}

/** Answers beside other workers; the supervisor has seen to the database. */
async function work(settings: Settings): Promise<void> {
  const stop = stopOnSignals()
  const service = await startService({ ...settings, migrate: 'off', port: workerPort() })
  onSupervisorGone(stop.request)
  stop.with(service.close)
  reportListening(service.url)
}

function warnOfHosts({ host, publicUrl, allowedHosts }: Settings): void {
  if (isLoopback(host) || publicUrl !== undefined || allowedHosts.length > 0) return
  console.warn(
    `lapidary: HOST is ${host}, and neither PUBLIC_URL nor ALLOWED_HOSTS is set: absolute links repeat whatever Host a client sends.`,
  )
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}

function greeting(url: string, database: string, { basePath, workers }: Settings): string {
  const who = workers === 1 ? 'Lapidary listens' : `Lapidary listens with ${workers} workers`
  return [
    `${who} at ${url}${basePath} and keeps its data in ${database}. Worth opening:`,
    `  ${url}${basePath}/persons?include=computers`,
    `  ${url}${basePath}/persons?filter[name]=Ada%20Allen`,
    `  ${url}${basePath}/computers?sort=owner.name&include=owner`,
  ].join('\n')
}

function refuse(complaint: string): void {
  console.error(`lapidary: ${complaint}`)
  process.exitCode = 2
  // A worker lives for as long as it has a master.
  cluster.worker?.disconnect()
}

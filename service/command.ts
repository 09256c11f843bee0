import cluster from 'node:cluster'
import { helpText, readCommand, type Settings } from './settings.ts'
import { prepareDatabase, startService } from './start.ts'
import { superviseWorkers } from './supervise.ts'

/** Does what the command line and the environment say. */
export async function runCommand(): Promise<void> {
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
  // Whoever started the workers has seen to the database.
  if (cluster.isWorker) return endWith(await startService({ ...settings, migrate: 'off' }))
  if (settings.migrate === 'only') {
    console.log(`${await prepareDatabase(settings, demo)} is ready.`)
    return
  }
  if (settings.workers === 1) {
    const service = await startService(settings, demo)
    endWith(service)
    console.log(greeting(service.url, service.database, settings))
    return
  }
  const database = await prepareDatabase(settings, demo)
  const workers = await superviseWorkers(settings.workers)
  endWith(workers)
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  console.log(greeting(`http://${host}:${workers.port}`, database, settings))
}

/** Ends the process in good order when it is asked to, once; who asks twice in the same way does not wait. */
function endWith({ close }: Readonly<{ close: () => Promise<void> }>): void {
  let isEnding = false
  const end = () => {
    if (!isEnding) void close().then(() => process.exit(0))
    isEnding = true
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
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

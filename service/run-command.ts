import { exitWithError, ignoreClosedPipes, runServer } from '../process/run-server.ts'
import { formatHelp, parseCommandLine, type Settings } from './settings.ts'
import { prepareService, startService } from './start-service.ts'

/** Runs the command that the command line and the environment specify. */
export async function runCommand(): Promise<void> {
  ignoreClosedPipes()
  try {
    const command = parseCommandLine(process.argv.slice(2), process.env)
    if (command.is === 'help') console.log(formatHelp())
    else await serve(command.settings, command.demo)
  } catch (error) {
    exitWithError(error)
  }
}

async function serve(settings: Settings, demo: boolean): Promise<void> {
  if (settings.migrate === 'only') {
    console.log(`${await prepareService(settings, demo)} is ready.`)
    return
  }
  await runServer(settings, {
    start: (startSettings) => startService(startSettings, demo),
    prepare: () => prepareService(settings, demo),
    formatGreeting: (url, database) => formatGreeting(url, database, settings),
  })
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

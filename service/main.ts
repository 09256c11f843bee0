import { helpText, readCommand, type Settings } from './settings.ts'
import { type Running, startService } from './start.ts'

const command = readCommand(process.argv.slice(2), process.env)
switch (command.is) {
  case 'help':
    console.log(helpText())
    break
  case 'refuse':
    refuse(command.complaint)
    break
  case 'serve':
    await serve(command.settings, command.demo)
}

async function serve(settings: Settings, demo: boolean): Promise<void> {
  try {
    const service = await startService(settings, demo)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => stop(service))
    }
    console.log(greeting(service, settings.basePath))
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error))
  }
}

async function stop(service: Running): Promise<void> {
  await service.close()
  process.exit(0)
}

function greeting({ url, database }: Running, base: string): string {
  return [
    `Lapidary listens at ${url}${base} and keeps its data in ${database}. Worth opening:`,
    `  ${url}${base}/persons?include=computers`,
    `  ${url}${base}/persons?filter[name]=Ada%20Allen`,
    `  ${url}${base}/computers?sort=owner.name&include=owner`,
  ].join('\n')
}

function refuse(complaint: string): void {
  console.error(`lapidary: ${complaint}`)
  process.exitCode = 2
}

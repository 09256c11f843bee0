import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { countDescriptors, type MonitorResult, startMonitor } from './process-monitor.ts'
import { startServer } from './servers.ts'

/** The resources that a server process has used since its start: CPU time in microseconds, resident memory in bytes. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

/** A command to the server process. It replies to each with one message. */
export type ServerCommand =
  | Readonly<{ is: 'read-usage' | 'count-descriptors' | 'start-monitor' | 'stop-monitor' }>
  | Readonly<{ is: 'start-profile' }>
  | Readonly<{ is: 'stop-profile'; path: string }>

const [name = '', database = ''] = process.argv.slice(2)
const { port, close } = await startServer(name, database)
const execute = createExecutor()

process.on('message', async (command: ServerCommand) => process.send?.(await execute(command)))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', async () => {
  await close()
  process.exit(0)
})
process.send?.({ port })

function createExecutor(): (command: ServerCommand) => Promise<object> {
  const session = new Session()
  let stopMonitor: (() => MonitorResult) | undefined
  return async (command) => {
    switch (command.is) {
      case 'read-usage': {
        const { user, system } = process.cpuUsage()
        return { usage: { cpu: user + system, resident: process.memoryUsage.rss() } }
      }
      case 'count-descriptors':
        return { descriptors: countDescriptors() }
      case 'start-monitor':
        stopMonitor?.()
        stopMonitor = startMonitor()
        return {}
      case 'stop-monitor':
        return { monitored: stopMonitor?.() }
      case 'start-profile':
        session.connect()
        await session.post('Profiler.enable')
        await session.post('Profiler.start')
        return {}
      case 'stop-profile': {
        const { profile } = await session.post('Profiler.stop')
        session.disconnect()
        await writeFile(command.path, JSON.stringify(profile))
        return {}
      }
    }
  }
}

import { startSubject } from './subjects.ts'

/** What a server's process has used since it began: CPU in microseconds, memory in bytes. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

const [name = '', database = ''] = process.argv.slice(2)
const { port, close } = await startSubject(name, database)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ usage: { cpu: user + system, resident: process.memoryUsage.rss() } })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', async () => {
  await close()
  process.exit(0)
})
process.send?.({ port })

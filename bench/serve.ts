import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { startSubject } from './subjects.ts'
import { watch, watched } from './watch.ts'

/** What a server's process has used since it began: CPU in microseconds, memory in bytes. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

/** What the process is asked; it answers each with one message. */
export type Question =
  | Readonly<{ is: 'usage' | 'profile' | 'watch' | 'watched' }>
  | Readonly<{ is: 'profiled'; path: string }>

const [name = '', database = ''] = process.argv.slice(2)
const { port, close } = await startSubject(name, database)
const session = new Session()

process.on('message', async (question: Question) => process.send?.(await answerTo(question)))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', async () => {
  await close()
  process.exit(0)
})
process.send?.({ port })

async function answerTo(question: Question): Promise<object> {
  switch (question.is) {
    case 'usage': {
      const { user, system } = process.cpuUsage()
      return { usage: { cpu: user + system, resident: process.memoryUsage.rss() } }
    }
    case 'watch':
      watch()
      return {}
    case 'watched':
      return { watched: watched() }
    case 'profile':
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.start')
      return {}
    case 'profiled': {
      const { profile } = await session.post('Profiler.stop')
      session.disconnect()
      await writeFile(question.path, JSON.stringify(profile))
      return {}
    }
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from './measure.ts'

/** How long a start takes, from the process to the line that says where it listens: in milliseconds, medians of rounds. */
export interface Start {
  readonly database: string
  readonly persons: number
  /** Of the service, on a database that is there. */
  readonly started: number
  /** Of Node alone with a server that answers nothing: what no program of it goes below. */
  readonly bare: number
}

const service = [join(import.meta.dirname, '..', 'service', 'main.js')]
const bare = [
  '--eval',
  `const server = require('node:http').createServer()
  server.listen(0, '127.0.0.1', () => console.log('It listens.'))`,
]

/** Starts the service and Node alone in turns. */
export async function measureStarts(
  url: string,
  { database, persons, rounds }: Readonly<{ database: string; persons: number; rounds: number }>,
): Promise<Start> {
  const words = [...service, '--port', '0', '--log-level', 'error', '--database-url', url]
  // What is compiled by the first start is kept for those that follow.
  await start(words)
  const pairs: (readonly [ours: number, others: number])[] = []
  for (let round = 0; round < rounds; round += 1)
    pairs.push([await start(words), await start(bare)])
  return {
    database,
    persons,
    started: median(pairs.map(([ours]) => ours)),
    bare: median(pairs.map(([, others]) => others)),
  }
}

/** Starts a process and ends it as soon as it has said that it listens. @returns how long that took, in milliseconds */
async function start(words: readonly string[]): Promise<number> {
  const begin = performance.now()
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  try {
    for await (const line of createInterface(child.stdout))
      if (line.includes('listens')) return performance.now() - begin
    throw new Error('A server has ended before it listened.')
  } finally {
    child.kill('SIGTERM')
    await exit
  }
}

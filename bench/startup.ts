import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { computeMedian } from './statistics.ts'

/** The time from the start of a process to the log line with its address, in milliseconds, medians of rounds. */
export interface StartupResult {
  readonly database: string
  readonly persons: number
  /** Of the service, on an existing database. */
  readonly service: number
  /** Of Node.js with an empty HTTP server, the lower bound of every Node.js program. */
  readonly bareNode: number
}

const serviceProgram = join(import.meta.dirname, '..', 'service', 'main.js')
const bareProgram = `const server = require('node:http').createServer()
  server.listen(0, '127.0.0.1', () => console.log('It listens.'))`

/** Starts the service and bare Node.js in turns. */
export async function measureStartup(
  url: string,
  { database, persons, rounds }: Readonly<{ database: string; persons: number; rounds: number }>,
): Promise<StartupResult> {
  const service = [serviceProgram, '--port', '0', '--log-level', 'error', '--database-url', url]
  const bareNode = ['--eval', bareProgram]
  // The first start fills the compile cache.
  await measureStart(service)
  const pairs: (readonly [service: number, bareNode: number])[] = []
  for (let round = 0; round < rounds; round += 1)
    pairs.push([await measureStart(service), await measureStart(bareNode)])
  return {
    database,
    persons,
    service: computeMedian(pairs.map(([time]) => time)),
    bareNode: computeMedian(pairs.map(([, time]) => time)),
  }
}

/** Starts Node.js and stops it when it listens. @returns the time that it took, in milliseconds */
async function measureStart(parameters: readonly string[]): Promise<number> {
  const start = performance.now()
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  try {
    for await (const line of createInterface(child.stdout))
      if (/\blisten(s|ing)\b/.test(line)) return performance.now() - start
    throw new Error('A server exited before it listened.')
  } finally {
    child.kill('SIGTERM')
    await exit
  }
}

import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabases } from './databases/open.ts'
import { findWorkload } from './find-workload.ts'
import { type LoadGenerator, startLoadGenerator, startServerProcess } from './processes.ts'

/**
 * Counts the instructions and cache misses of a request on the server's main thread in user space, with Valgrind's Callgrind.
 * Callgrind simulates the processor, so the load of the real machine does not change the counts.
 * It makes a read take fifty times as long. On SQLite the first runs therefore count as slow, and the read runs in a reader process for
 * a minute, which the warm-up has to outlast.
 */
const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: 'one,list,included,one-included,owner' },
    server: { type: 'string', default: 'baseline,baseline-fastify,service' },
    database: { type: 'string', default: 'sqlite' },
    persons: { type: 'string', default: '1000' },
    'warm-up': { type: 'string', default: '40000' },
    requests: { type: 'string', default: '1000' },
  },
})

/** The events of Callgrind: instructions, and misses of 32 KiB caches for instructions, data reads and data writes. */
const events = ['Ir', 'I1mr', 'D1mr', 'D1mw'] as const

/** Counts per request. */
type Counts = Readonly<Record<(typeof events)[number], number>>

const columns = ['instructions', 'instruction misses', 'read misses', 'write misses']
const databases = await openDatabases(values.database)
const generator = startLoadGenerator()
const folder = await mkdtemp(join(tmpdir(), 'counts-'))
console.log(['workload', 'server', ...columns].join('\t'))
try {
  for (const workload of values.workload.split(','))
    for (const server of values.server.split(',')) {
      // The Fastify baseline has no writes.
      if (server === 'baseline-fastify' && findWorkload(workload).writes) continue
      const counts = await count(server, workload, generator)
      console.log([workload, server, ...events.map((event) => counts[event].toFixed(0))].join('\t'))
    }
} finally {
  await generator.stop()
  await databases.close()
  await rm(folder, { recursive: true })
}

async function count(name: string, workload: string, { run }: LoadGenerator): Promise<Counts> {
  const output = join(folder, `${workload}-${process.hrtime.bigint()}`)
  const persons = Number(values.persons)
  const url = await databases.copy(persons, 'count')
  const server = await startServerProcess(name, url, makeValgrindCommand(output))
  const sendRequests = (maxRequests: number) =>
    run({
      port: server.port,
      workload,
      persons,
      connections: 32,
      milliseconds: Number.MAX_SAFE_INTEGER,
      busyPolling: false,
      maxRequests,
    })
  const control = (...parameters: string[]) =>
    execFileSync('callgrind_control', [...parameters, String(server.pid)], { stdio: 'ignore' })
  try {
    await sendRequests(Number(values['warm-up']))
    control('--instr=on')
    await sendRequests(200)
    control('--dump')
    const { requests } = await sendRequests(Number(values.requests))
    control('--dump')
    return parseCounts(await readFile(`${output}.2-01`, 'utf8'), requests)
  } finally {
    await server.stop()
  }
}

function makeValgrindCommand(output: string): string[] {
  return [
    'valgrind',
    '--quiet',
    '--tool=callgrind',
    '--cache-sim=yes',
    '--instr-atstart=no',
    // V8 compiles in other threads. They are not counted.
    '--separate-threads=yes',
    '--smc-check=all-non-file',
    `--callgrind-out-file=${output}`,
  ]
}

function parseCounts(dump: string, requests: number): Counts {
  const names = parseLine('events', dump)
  const totals = parseLine('totals', dump)
  const perRequest = (event: string) => Number(totals[names.indexOf(event)]) / requests
  return {
    Ir: perRequest('Ir'),
    I1mr: perRequest('I1mr'),
    D1mr: perRequest('D1mr'),
    D1mw: perRequest('D1mw'),
  }
}

function parseLine(name: string, dump: string): string[] {
  const line = new RegExp(`^${name}: (.*)$`, 'm').exec(dump)?.[1]
  if (line === undefined) throw new Error(`The output of Callgrind has no line "${name}".`)
  return line.split(' ')
}

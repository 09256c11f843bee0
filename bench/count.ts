import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sqliteCopy } from './data.ts'
import { type Generator, serve, startGenerator } from './processes.ts'
import { workloadNamed } from './wishes.ts'

/**
 * Counts, on a machine that is imitated, what a request costs the server's main thread in user space: a clock sees the rest
 * of the machine, and these numbers do not.
 */
const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: 'one,list,included,one-included,owner' },
    subject: { type: 'string', default: 'floor,porch,service' },
    persons: { type: 'string', default: '1000' },
    warm: { type: 'string', default: '40000' },
    requests: { type: 'string', default: '1000' },
  },
})

/** What Callgrind counts: instructions; the misses of caches of 32 KiB for instructions, reading and writing. */
const events = ['Ir', 'I1mr', 'D1mr', 'D1mw'] as const

/** Counts for one request. */
type Counts = Readonly<Record<(typeof events)[number], number>>

const generator = startGenerator()
const folder = await mkdtemp(join(tmpdir(), 'counts-'))
console.log(
  ['workload', 'subject', 'instructions', 'missed', 'reads missed', 'writes missed'].join('\t'),
)
try {
  for (const workload of values.workload.split(','))
    for (const subject of values.subject.split(',')) {
      // The floor behind Fastify reads alone.
      if (subject === 'porch' && workloadNamed(workload).writes) continue
      const counts = await count(subject, workload, generator)
      console.log(
        [workload, subject, ...events.map((event) => counts[event].toFixed(0))].join('\t'),
      )
    }
} finally {
  await generator.end()
  await rm(folder, { recursive: true })
}

async function count(subject: string, workload: string, { run }: Generator): Promise<Counts> {
  const output = join(folder, `${workload}-${process.hrtime.bigint()}`)
  const through = [
    'valgrind',
    '--quiet',
    '--tool=callgrind',
    '--cache-sim=yes',
    '--instr-atstart=no',
    // What V8 compiles meanwhile, in threads of its own, is no request's.
    '--separate-threads=yes',
    '--smc-check=all-non-file',
    `--callgrind-out-file=${output}`,
  ]
  const persons = Number(values.persons)
  const served = await serve(subject, `sqlite:${await sqliteCopy(persons, 'count')}`, through)
  const ask = (most: number) =>
    run({
      port: served.port,
      workload,
      persons,
      connections: 32,
      milliseconds: Number.MAX_SAFE_INTEGER,
      isAwake: false,
      most,
    })
  const control = (...words: string[]) =>
    execFileSync('callgrind_control', [...words, String(served.pid)], { stdio: 'ignore' })
  try {
    await ask(Number(values.warm))
    control('--instr=on')
    await ask(200)
    control('--dump')
    const { requests } = await ask(Number(values.requests))
    control('--dump')
    return perRequest(await readFile(`${output}.2-01`, 'utf8'), requests)
  } finally {
    await served.end()
  }
}

function perRequest(text: string, requests: number): Counts {
  const names = lineOf('events', text)
  const totals = lineOf('totals', text)
  const of = (event: string) => Number(totals[names.indexOf(event)]) / requests
  return { Ir: of('Ir'), I1mr: of('I1mr'), D1mr: of('D1mr'), D1mw: of('D1mw') }
}

function lineOf(name: string, text: string): string[] {
  const line = new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  if (line === undefined) throw new Error(`Callgrind tells no ${name}.`)
  return line.split(' ')
}

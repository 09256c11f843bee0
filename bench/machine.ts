import { cpus, release, totalmem, type } from 'node:os'

/** The machine of a measurement. */
interface Machine {
  readonly processor: string
  readonly cores: number
  /** In bytes. */
  readonly memory: number
  readonly system: string
  readonly node: string
  readonly sqlite: string | undefined
}

/** Describes this machine. */
export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: totalmem(),
    system: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
    node: process.version,
    sqlite: process.versions.sqlite,
  }
}

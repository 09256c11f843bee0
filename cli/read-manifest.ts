import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The members of the `package.json` of Lapidary that the command reads. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Absent in the repository, where these are dependencies. */
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Reads the `package.json` of Lapidary. */
export function readManifest(): Manifest {
  const path = fileURLToPath(import.meta.resolve('lapidary/package.json'))
  return JSON.parse(readFileSync(path, 'utf8'))
}

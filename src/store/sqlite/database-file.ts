import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HeaderError } from '../../errors/errors.ts'

/** Only the owner may read and write a file that is created here. */
const ownerOnly = 0o600
/** How long it is taken for granted that the file is still the same one, in milliseconds; a write looks each time. */
const trusted = 100

/** The file of a database. */
export class DatabaseFile {
  readonly path: string
  /** Whether the file is deleted when the database is closed. */
  readonly isTemporary: boolean
  #identity: string | undefined
  #checked = 0

  /** @param path - a file, created with its folder when it is not there, or `:memory:` for one that lasts as long as this */
  constructor(path: string) {
    this.isTemporary = path === ':memory:'
    this.path = this.isTemporary ? join(temporaryFolder(), 'memory.db') : path
    mkdirSync(dirname(this.path), { recursive: true, ...(this.isTemporary && { mode: 0o700 }) })
    if (!existsSync(this.path)) closeSync(openSync(this.path, 'a', ownerOnly))
    this.#identity = identityOf(this.path)
    // Whoever forgets to close leaves nothing behind either.
    if (this.isTemporary) process.once('exit', this.remove)
  }

  /**
   * Makes sure that the file is the one that was opened: what is written to another would be gone with the next start.
   * @throws HeaderError `unavailable` (503) when it was deleted or replaced
   */
  verify(): void {
    const identity = identityOf(this.path)
    if (identity === this.#identity) return
    const what = identity === undefined ? 'deleted' : 'replaced'
    const cause = new Error(`The file ${this.path} was ${what} while the server ran; restart it.`)
    throw new HeaderError(
      'unavailable',
      'The database file is not the one that was opened; the server has to be restarted.',
      {},
      { cause },
    )
  }

  /** The same for a read, which need not look each time. @param now - on the clock of `performance.now` */
  verifyNowAndThen(now: number): void {
    if (now - this.#checked < trusted) return
    this.verify()
    this.#checked = now
  }

  /** Deletes the file if it is a temporary one. */
  readonly remove = (): void => {
    if (!this.isTemporary) return
    process.off('exit', this.remove)
    rmSync(dirname(this.path), { recursive: true, force: true })
  }
}

/** Linux keeps what is in this folder in memory. */
const sharedMemory = '/dev/shm'

function temporaryFolder(): string {
  const parent = existsSync(sharedMemory) ? sharedMemory : tmpdir()
  return join(parent, `lapidary-${process.pid}-${randomUUID()}`)
}

/** What tells a file from another at the same path; `undefined` when there is none. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

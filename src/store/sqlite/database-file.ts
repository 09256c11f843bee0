import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HeaderError } from '../../errors/errors.ts'
import { closedError } from '../closed-error.ts'

/** The mode of a new file: only its owner may read and write it. */
const ownerOnly = 0o600
/** Reads verify the file at this interval, in milliseconds: it takes 2 µs, 7 % of the CPU time of a read by id (row `one`). */
const verifyInterval = 100

/** The file of a database. */
export class DatabaseFile {
  readonly path: string
  /** Whether the file is deleted when the database is closed. */
  readonly isTemporary: boolean
  #identity: string | undefined
  #lastVerified = 0
  #isClosed = false

  /**
   * @param path - a file, created with its folder if it does not exist; `:memory:` for a temporary file (docs/decisions/0042)
   * @param mustExist - whether the file is not created. Default false
   * @throws Error when the file must exist and does not, and for a folder
   */
  constructor(path: string, mustExist = false) {
    if (mustExist && !existsSync(path)) throw new Error(`there is no file ${path}`)
    this.isTemporary = path === ':memory:'
    this.path = this.isTemporary ? join(temporaryFolder(), 'memory.db') : path
    mkdirSync(dirname(this.path), { recursive: true, ...(this.isTemporary && { mode: 0o700 }) })
    if (statSync(this.path, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${path} is a folder; name a file in it`)
    if (!existsSync(this.path)) closeSync(openSync(this.path, 'a', ownerOnly))
    this.#identity = identityOf(this.path)
    // A program that never closes the database leaves no file behind either.
    if (this.isTemporary) process.once('exit', this.remove)
  }

  /** Runs what opens the file. @throws Error that names the file: to a program that starts, "try again later" says nothing */
  open<Result>(connect: () => Result): Result {
    try {
      return connect()
    } catch (error) {
      const cause = error instanceof HeaderError ? error.cause : undefined
      if (!(cause instanceof Error)) throw error
      throw new Error(`the file ${this.path} cannot be opened: ${cause.message}`, { cause: error })
    }
  }

  /**
   * Verifies that the path still leads to the file that was opened. Otherwise writes would be lost with the next start.
   * @throws HeaderError `unavailable` (503) when it was deleted or replaced, or the database is closed
   */
  verify(): void {
    if (this.#isClosed) throw closedError()
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

  /** Verifies the file if the interval since the last time is over. @param now - on the clock of `performance.now` */
  verifyAtIntervals(now: number): void {
    if (now - this.#lastVerified < verifyInterval) return
    this.verify()
    this.#lastVerified = now
  }

  /** @throws HeaderError `unavailable` (503) when the database is closed */
  checkOpen(): void {
    if (this.#isClosed) throw closedError()
  }

  /** Notes that the database is closed. */
  close(): void {
    this.#isClosed = true
    // The next read verifies the file.
    this.#lastVerified = Number.NEGATIVE_INFINITY
  }

  /** Deletes the file if it is temporary. */
  readonly remove = (): void => {
    if (!this.isTemporary) return
    process.off('exit', this.remove)
    rmSync(dirname(this.path), { recursive: true, force: true })
  }
}

/** A folder that Linux keeps in memory. */
const sharedMemory = '/dev/shm'

function temporaryFolder(): string {
  const parent = existsSync(sharedMemory) ? sharedMemory : tmpdir()
  return join(parent, `lapidary-${process.pid}-${randomUUID()}`)
}

/** Returns the device and inode of a file; `undefined` if it does not exist. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

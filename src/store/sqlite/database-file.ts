import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HeaderError } from '../../errors/errors.ts'
import { closedError } from '../closed-error.ts'
import type { SqliteOptions } from './options.ts'
import { temporaryFolders } from './temporary-folders.ts'

/** The mode of a new file: only its owner may read and write it. */
const ownerOnly = 0o600
/** Reads verify the file at this interval, in milliseconds: it takes 2 µs, 7 % of the CPU time of a read by id (row `one`). */
const verifyInterval = 100

/** What may be done to a file when it is opened. */
type FileOptions = Pick<SqliteOptions, 'create' | 'readOnly'>

/** The file of a database. */
export class DatabaseFile {
  readonly path: string
  /** Whether the file is deleted when the database is closed. */
  readonly isTemporary: boolean
  #identity: string | undefined
  #lastVerified = 0
  #isClosed = false

  /**
   * @param path - a file; `:memory:` for a temporary file (docs/decisions/0042)
   * @param options - as those of `openSqlite`
   * @throws Error when the file does not exist and is not to be created, and for a folder
   */
  constructor(path: string, { create = false, readOnly = false }: FileOptions = {}) {
    this.isTemporary = path === ':memory:'
    this.path = this.isTemporary ? join(temporaryFolders.create(), 'memory.db') : path
    const stat = statSync(this.path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) throw new Error(`${path} is a folder; name a file in it`)
    if (stat === undefined) {
      const advice = readOnly ? '' : '; openSqlite creates it with the option create: true'
      if (!create && !this.isTemporary) throw new Error(`there is no file ${path}${advice}`)
      mkdirSync(dirname(this.path), { recursive: true })
      closeSync(openSync(this.path, 'a', ownerOnly))
    }
    this.#identity = identityOf(this.path)
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
  remove(): void {
    if (this.isTemporary) temporaryFolders.remove(dirname(this.path))
  }
}

/** Returns the device and inode of a file; `undefined` if it does not exist. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

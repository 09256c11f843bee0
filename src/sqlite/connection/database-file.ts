import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HttpError } from '../../errors/errors.ts'
import { closedError } from '../../sql/errors.ts'
import type { SqliteOptions } from '../options.ts'
import type { SqliteConnection } from './connection.ts'

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
  /** The device and inode of the file that was opened. */
  readonly identity: string | undefined
  /** Calls what has to know that the file was deleted or replaced. */
  #reportLost: (() => void) | undefined
  /** What the path led to when it was last verified. */
  #foundIdentity: string | undefined
  #isReplaced = false
  #lastVerified = 0
  #isClosed = false

  /**
   * @param path - a file; `:memory:` for a temporary file (`temporary-folders.ts`)
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
    this.identity = identityOf(this.path)
    this.#foundIdentity = this.identity
  }

  /**
   * Opens a connection to the file that was opened first, and to no other: SQLite would take the log of that file for the log of its
   * successor.
   * @throws HttpError `unavailable` (503) when it was deleted or replaced
   */
  connect<Connection extends { close(): void }>(open: () => Connection): Connection {
    this.verify()
    const connection = open()
    try {
      this.verify()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Runs what opens the file. @throws Error that names the file: to a program that starts, "try again later" says nothing */
  open<Result>(connect: () => Result): Result {
    try {
      return connect()
    } catch (error) {
      const cause = error instanceof HttpError ? error.cause : undefined
      if (!(cause instanceof Error)) throw error
      throw new Error(`the file ${this.path} cannot be opened: ${cause.message}`, { cause: error })
    }
  }

  /**
   * Verifies that the path still leads to the file that was opened. Otherwise writes would be lost with the next start. Once it has
   * led to another file, no file is used any more.
   * @throws HttpError `unavailable` (503) when it was deleted or replaced, or the database is closed
   */
  verify(): void {
    if (this.#isClosed) throw closedError()
    if (this.#isReplaced) throw lostError(this.path, 'replaced')
    const identity = identityOf(this.path)
    const isNew = identity !== this.#foundIdentity
    this.#foundIdentity = identity
    if (identity === this.identity) return
    this.#isReplaced = identity !== undefined
    if (isNew) this.#reportLost?.()
    throw lostError(this.path, identity === undefined ? 'deleted' : 'replaced')
  }

  /** Whether the open file was deleted or replaced. */
  isLost(): boolean {
    if (this.isTemporary || this.#isClosed) return false
    return this.#isReplaced || identityOf(this.path) !== this.identity
  }

  /** @param report - called when the file is found to be deleted or replaced */
  onLost(report: () => void): void {
    this.#reportLost = report
  }

  /** Verifies the file if the interval since the last time is over. @param now - on the clock of `performance.now` */
  verifyAtIntervals(now: number): void {
    if (now - this.#lastVerified < verifyInterval) return
    this.verify()
    this.#lastVerified = now
  }

  /** @throws HttpError `unavailable` (503) when the database is closed */
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

function lostError(path: string, what: 'deleted' | 'replaced'): HttpError {
  const cause = new Error(`The file ${path} was ${what} while the server ran; restart it.`)
  return new HttpError(
    'unavailable',
    'The database file is not the one that was opened; the server has to be restarted.',
    {},
    { cause },
  )
}

/** Returns the device and inode of a file; `undefined` if it does not exist. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** A folder that Linux keeps in memory. It may be small in a container; when it is full, writes are 503. */
const sharedMemory = '/dev/shm'

/**
 * The folders of databases in memory, which only their owner can read. SQLite's own `:memory:` belongs to one connection: it could not
 * be streamed or read by a process with a deadline, and reads would wait for writes. A program that never closes a database leaves no
 * folder behind; one that is killed does. The exit of a process belongs to all of its stores, so they share one listener: Node.js takes
 * more than ten for a leak.
 */
class TemporaryFolders {
  readonly #folders = new Set<string>()

  /** @returns the path of a new folder */
  create(): string {
    const parent = existsSync(sharedMemory) ? sharedMemory : tmpdir()
    const folder = join(parent, `lapidary-${process.pid}-${randomUUID()}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (this.#folders.size === 0) process.on('exit', this.#removeAll)
    this.#folders.add(folder)
    return folder
  }

  /** Deletes a folder with its files. */
  remove(folder: string): void {
    this.#folders.delete(folder)
    if (this.#folders.size === 0) process.off('exit', this.#removeAll)
    rmSync(folder, { recursive: true, force: true })
  }

  readonly #removeAll = (): void => {
    for (const folder of this.#folders) this.remove(folder)
  }
}

/** The folders of the databases in memory that this process has open. */
const temporaryFolders = new TemporaryFolders()

// A database file that was deleted or replaced while it was open. Its log has the name that the log of the successor would have, and
// SQLite cannot tell whose it is: the next program that opens the successor would write pages of the old file into it
// (sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use"). So nothing is committed from then on, and the log
// is emptied into the old file, under whatever name it has now. SQLite itself leaves the log as it is.

/** How long the reader processes may take to end after they were killed, in milliseconds. */
const readerEnd = 1000

/**
 * Writes the log back into the file that it was written for, and empties it. A transaction that is open is rolled back.
 * @param isLast - whether it waits for reader processes that were killed, in which time nothing else runs
 * @returns whether the log is empty: a transaction that reads may need it
 */
export function emptyLog(writer: SqliteConnection, isLast: boolean): boolean {
  try {
    writer.rollback()
    if (isLast) writer.execute(`pragma busy_timeout = ${readerEnd}`)
    const [[isBusy] = []] = writer.introspect('pragma wal_checkpoint(truncate)')
    return isBusy === 0
  } catch {
    return false
  }
}

/** Describes a log that could not be emptied. @param path - that of the database */
export function describeLog(path: string): string {
  return `the log ${path}-wal belongs to the file that was replaced; delete it before another program opens ${path}`
}

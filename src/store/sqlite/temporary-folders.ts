import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
export const temporaryFolders = new TemporaryFolders()

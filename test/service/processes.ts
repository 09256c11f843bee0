import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** The running child processes of a process. */
export async function childrenOf(parent: number | undefined): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([pid = '', of, state = '']) =>
    Number(of) === parent && !state.startsWith('Z') ? [Number(pid)] : [],
  )
}

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until a condition holds. @throws Error with a message after a minute */
export async function until(
  condition: () => boolean | Promise<boolean>,
  message: string | (() => string),
): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(typeof message === 'string' ? message : message())
    await pause(10)
  }
}

/** The number of open sockets of a process; `undefined` except on Linux. */
export async function socketsOf(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const folder = `/proc/${pid}/fd`
  const links = (await readdir(folder)).map((name) =>
    readlink(`${folder}/${name}`).catch(() => 'closed'),
  )
  return (await Promise.all(links)).filter((link) => link.startsWith('socket:')).length
}

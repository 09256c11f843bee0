import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql } from './dialect.ts'
import { runLater } from './run-later.ts'

const remedy =
  'its SQL is written once and serves the requests of all users; for rows by user use the option access, and for a value of the user auth(…)'

/**
 * Finds out whether a function that writes SQL depends on the request or on anything else that changes: it is called again
 * only when another statement is compiled, so its first values would be those of every later request. It is called twice, the
 * second time at a later date, and each call is observed. A function that reads a variable which changes later is not found.
 *
 * @returns an error without the path of the declaration; `undefined` if none is found
 */
export function findChangingSql(write: () => Sql): string | undefined {
  const first = observe(write)
  const second = runLater(() => observe(write))
  if (first.readsStorage || second.readsStorage) return `must not read AsyncLocalStorage: ${remedy}`
  return first.sql === second.sql
    ? undefined
    : `must return the same SQL and values at every call, without the time or a random value: ${remedy}`
}

/** What a call wrote, as text, and whether it read an AsyncLocalStorage. */
interface Observation {
  readonly sql: string
  readonly readsStorage: boolean
}

/** Calls a function. The stores of a process cannot be listed, so the method that reads them is observed meanwhile. */
function observe(write: () => Sql): Observation {
  const { prototype } = AsyncLocalStorage
  const { getStore } = prototype
  let readsStorage = false
  prototype.getStore = function observed(this: AsyncLocalStorage<unknown>) {
    readsStorage = true
    return Reflect.apply(getStore, this, [])
  }
  try {
    return { sql: JSON.stringify(write().toOperationNode(), toJson), readsStorage }
  } finally {
    prototype.getStore = getStore
  }
}

function toJson(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

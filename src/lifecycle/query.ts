import type { Sql } from '../model/dialect.ts'
import type { RequestContext } from '../model/request-context.ts'
import type { RunQuery } from '../store/store.ts'
import type { LifecycleContext } from './context.ts'
import { createBeginContext } from './hook-context.ts'

/**
 * Runs SQL of the application that only reads, after the model's `begin`.
 * @returns the rows by the names of their columns
 * @throws the errors of `begin` and of `Store.snapshot`
 */
export function executeQuery(
  expression: Sql,
  { planner, store }: LifecycleContext,
  request: RequestContext,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { begin } = planner.model
  const work = async (query: RunQuery) => {
    if (begin) await begin(createBeginContext(request, query))
    return query(expression)
  }
  return store.snapshot(work, { signal: request.signal })
}

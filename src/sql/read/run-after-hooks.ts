import type { ReadPlan } from '../../plan/read.ts'
import { type CompleteRows, pairWithLayouts } from '../../plan/read-result.ts'
import type { ReadHooks, RunQuery } from '../store.ts'

/** Runs the hooks after a read whose rows are in memory: once for the primary rows, and for those of each include edge. */
export async function runAfterHooks(
  { after }: ReadHooks,
  rows: CompleteRows,
  { shape }: ReadPlan,
  query: RunQuery,
): Promise<void> {
  for (const [batch, layout] of pairWithLayouts(rows, shape)) await after(batch, layout, query)
}

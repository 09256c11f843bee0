import type { Planner } from '../plan/planner.ts'
import type { Store } from '../sql/store.ts'
import type { ReadHookBinder } from './read-hooks.ts'
import type { OpenTransaction } from './unit-of-work.ts'
import type { GetWriteLifecycle, NeverThrows } from './write-lifecycle.ts'

/** The dependencies of reads and writes, created once at startup. */
export interface LifecycleContext {
  readonly planner: Planner
  readonly store: Store
  /** Absent for a model without read hooks. */
  readonly bindReadHooks?: ReadHookBinder | undefined
  readonly getWriteLifecycle: GetWriteLifecycle
  readonly neverThrows: NeverThrows
  /** The transaction in which reads and writes run; absent: each has one of its own. */
  readonly open?: OpenTransaction | undefined
}

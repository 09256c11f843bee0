import type { LayoutName } from './layouts.ts'

/** A test that fails on Citus because it refuses a statement, or does not promise what the test expects. */
interface Exception {
  readonly test: string
  readonly layouts: readonly LayoutName[]
  /** The engine's own words, or what it does not promise. */
  readonly refusal: string
}

/** The tests that fail on Citus; `npm run test:citus` fails if another one fails, or if one of these passes in a layout. */
export const exceptions: readonly Exception[] = []

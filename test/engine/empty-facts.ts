import type { Dialect } from '../../src/model/dialect.ts'
import type { Model } from '../../src/model/model.ts'
import type { DatabaseFacts } from '../../src/sql/database-facts.ts'
import type { Target } from '../../src/sql/tables.ts'

/** The facts about a database whose tables are indexed as well as can be, and enforce every foreign key. */
const emptyFacts: DatabaseFacts = {
  catalog: { dialect: 'sqlite', schema: 'main', tables: [] },
  areComplete: true,
  isIndexed: () => true,
  ignoresCase: () => false,
  isSinglePrecision: () => false,
  triggersOf: () => undefined,
  mayHide: () => false,
  mayLock: () => true,
  isEnforced: () => true,
  isOrdinary: () => true,
  shardingOf: () => undefined,
  hasUniqueIds: () => false,
  rowsWithoutId: new Map(),
  expressions: new Map(),
  collations: new Map(),
  danglingKeys: [],
}

/** What statements are compiled for without a database. @param facts - others than those of the best database */
export function emptyTarget(
  model: Model,
  dialect: Dialect,
  facts: Partial<DatabaseFacts> = {},
): Target {
  return { model, dialect, facts: { ...emptyFacts, ...facts }, reportInvalidValue: () => {} }
}

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import type { KeyColumns, Table } from '../../model/model.ts'
import type { ReadPlan } from '../../plan/read.ts'
import { createRunValues } from '../read/run-values.ts'
import { compileStatement, type RunStatement, type RunValues } from '../statement.ts'
import { columnsAt, tableAt } from '../tables.ts'

// What an index would change, as numbers of rows: the same on every database, because they come from the rows and not from a planner.
// PostgreSQL cannot plan with an index that does not exist.

/** What an index is for. */
export type IndexUse =
  | Readonly<{ is: 'filter'; table: Table; condition: Sql }>
  | Readonly<{ is: 'sort'; table: Table }>
  | Readonly<{ is: 'relationship'; table: Table; columns: KeyColumns }>

/** A warning before the rows are counted that its index would find. */
export interface UncountedWarning {
  readonly message: string
  readonly fix?: string
  readonly use?: IndexUse
}

/** A warning with what its index changes. */
type CountedWarning = Omit<UncountedWarning, 'use'> & Readonly<{ change?: string }>

/** The most rows of a table that are counted: few enough for a request. */
const maxCounted = 10_000

/** The fewest rows of a table for which it matters whether an index finds few of them. */
const minLarge = 100

/** What an index changes, without numbers. */
const changes: Readonly<Record<IndexUse['is'], string>> = {
  filter: 'with it, only the rows that match this condition are read',
  sort: 'with it, rows are read in this order, and only those of the page',
  relationship: 'with it, only the related rows are read',
}

/** The read whose indexes are described. */
interface DescribedRead {
  readonly plan: ReadPlan
  readonly id: string | undefined
  /** Whether rows may be hidden from the request, so that their numbers must not be told. */
  readonly hidesRows: boolean
  readonly dialect: Dialect
}

/**
 * Says what the indexes of warnings change: how many rows are read with them, of how many. A count that fails, e.g. at its deadline,
 * leaves a sentence without numbers, as does whatever may hide rows.
 * @param transact - runs work in a read transaction; each statement visits at most 10,000 rows
 */
export async function describeIndexes(
  warnings: readonly UncountedWarning[],
  { plan, id, hidesRows, dialect }: DescribedRead,
  transact: (work: (run: RunStatement) => Promise<CountedWarning[]>) => Promise<CountedWarning[]>,
): Promise<CountedWarning[]> {
  if (hidesRows || warnings.every(({ use }) => use === undefined))
    return warnings.map((warning) => describeIndex(warning))
  const values = createRunValues(plan, id)
  return transact(async (run) => {
    const described: CountedWarning[] = []
    for (const warning of warnings) {
      const { use } = warning
      const counts = use && (await countRows(use, { dialect, values }, run))
      const numbers = use && counts && formatNumbers(use, counts, values)
      described.push(describeIndex(warning, numbers))
    }
    return described
  })
}

function describeIndex({ use, ...warning }: UncountedWarning, numbers?: string): CountedWarning {
  if (use === undefined) return warning
  const change = changes[use.is]
  return { ...warning, change: numbers === undefined ? change : `${change}: ${numbers}` }
}

/** Counts the first rows of a table, and what an index finds of them. */
async function countRows(
  use: IndexUse,
  { dialect, values }: Readonly<{ dialect: Dialect; values: RunValues }>,
  run: RunStatement,
): Promise<readonly number[] | undefined> {
  try {
    const [row = []] = await run(compileStatement(compileCount(use), dialect), values)
    return row.map(Number)
  } catch {
    // The read itself has been explained.
    return undefined
  }
}

function compileCount(use: IndexUse): Sql {
  const limit = sql.raw(String(maxCounted))
  const from = sql`from ${tableAt(0, use.table)} limit ${limit}`
  switch (use.is) {
    case 'filter':
      return sql`select count(*), count(case when "matches" then 1 end) from (select ${use.condition} as "matches" ${from}) as "counted"`
    case 'sort':
      return sql`select count(*) from (select 1 ${from}) as "counted"`
    case 'relationship': {
      const names = use.columns.map((_, index) => sql.id(`c${index}`))
      const columns = columnsAt(0, use.columns).map(
        (column, index) => sql`${column} as ${names[index]}`,
      )
      const isLinked = sql.join(
        names.map((name) => sql`${name} is not null`),
        sql` and `,
      )
      const keys = sql`select ${sql.join(names)}, count(*) as "size" from (select ${sql.join(columns)} ${from}) as "counted" group by ${sql.join(names)}`
      const linked = sql`case when ${isLinked} then "size" end`
      return sql`select sum("size"), sum(${linked}), count(${linked}) from (${keys}) as "keys"`
    }
  }
}

/** Formats what an index finds. @returns `undefined` for a table without rows */
function formatNumbers(
  { is }: IndexUse,
  [total = 0, found = 0, keys = 0]: readonly number[],
  { limit = 0, offset = 0 }: RunValues,
): string | undefined {
  if (total === 0) return undefined
  const isPart = total >= maxCounted
  const counted = `${isPart ? 'the first' : 'the'} ${format(total)} rows`
  switch (is) {
    case 'filter': {
      const numbers = `${format(found)} of ${counted}`
      return total >= minLarge && found * 4 > total
        ? `${numbers}, so many that the database may read every row all the same`
        : numbers
    }
    case 'sort': {
      const all = isPart ? `at least ${format(maxCounted)} rows` : counted
      return limit === 0 ? undefined : `${format(Math.min(offset + limit, total))} of ${all}`
    }
    case 'relationship':
      return keys === 0
        ? `0 of ${counted}`
        : `${format(Math.ceil(found / keys))} of ${counted} on average`
  }
}

function format(count: number): string {
  return count.toLocaleString('en')
}

import type { VersionSource } from './boards.ts'

/** A text in a source file, and its replacement. */
interface Replacement {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A mutant of the engine that loses updates, or repeats writes. */
interface HistoryMutant {
  readonly title: string
  readonly replacements: readonly Replacement[]
  /** Where it shows: the writes of one process on SQLite run one after the other. */
  readonly on: 'sqlite' | 'postgres'
  readonly version: VersionSource
  /** Whether tables have the triggers that write the journal. Default true. */
  readonly hasJournal?: boolean
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
/** The mutants that the histories must detect, each by itself. */
export const historyMutants: readonly HistoryMutant[] = [
  ...(['sqlite', 'postgres'] as const).map(
    (on): HistoryMutant => ({
      title: `the condition is checked outside of the transaction of the write, ${on}`,
      ...{ on, version: on === 'sqlite' ? 'content' : 'xmin' },
      replacements: [
        {
          file: 'src/lifecycle/write.ts',
          from: 'return executeInTransaction(context, request, work, getWriteOptions(plan))',
          to: `if (plan.condition) {
            const { condition: _, ...rest } = plan
            const check = (unit: UnitOfWork) => unit.transaction.checkPreconditions(plan)
            return executeInTransaction(context, request, check).then(() => executeWrite(rest, response, context, request))
          }
          return executeInTransaction(context, request, work, getWriteOptions(plan))`,
        },
      ],
    }),
  ),
  {
    title: 'the key is inserted after the write',
    ...{ on: 'postgres', version: 'content' },
    replacements: [
      {
        file: 'src/sql/write/idempotency.ts',
        from: '...createClaimAhead(connection, dialect),',
        to: '',
      },
      {
        file: 'src/sql/write/idempotency.ts',
        from: 'all(insertKey(dialect), [principal, key, fingerprint, view, now]),',
        to: 'Promise.resolve([]),',
      },
      {
        file: 'src/sql/write/idempotency.ts',
        from: "return inserted.length > 0 ? 'new' : parseStored(rows[0])",
        to: "return rows.length === 0 ? 'new' : parseStored(rows[0])",
      },
      {
        file: 'src/sql/write/idempotency.ts',
        from: 'store: async ({ principal, key }, { status, rest }) => {',
        to: `store: async ({ principal, key, fingerprint, view }, { status, rest }) => {
          await run(insertKey(dialect), [principal, key, fingerprint, view, Date.now()])`,
      },
    ],
  },
  {
    title: 'a write whose key is claimed ahead is executed though the key is known',
    ...{ on: 'postgres', version: 'content' },
    replacements: [
      {
        file: 'src/sql/write/idempotency.ts',
        from: 'cast(${rawParam(4)} as bigint))`\n}',
        to: 'cast(${rawParam(4)} as bigint)) on conflict do nothing`\n}',
      },
    ],
  },
  {
    title: 'a response is replayed after the check whether the resource exists',
    ...{ on: 'sqlite', version: 'content' },
    replacements: [
      {
        file: 'src/endpoints/idempotent-write.ts',
        from: 'const claimed = await claim(keys, claimedKey, async () => {',
        to: `const target = planned.plan
        if (target?.is === 'delete') {
          const { condition: _, ...plan } = target.write
          await unit.transaction.checkPreconditions(plan)
        }
        const claimed = await claim(keys, claimedKey, async () => {`,
      },
    ],
  },
  {
    title: 'the version ignores a column',
    ...{ on: 'sqlite', version: 'content' },
    replacements: [
      {
        file: 'src/plan/version.ts',
        from: 'if (field.column !== undefined && matters) columns.add(field.column)',
        to: "if (field.column !== undefined && matters && field.name !== 'note') columns.add(field.column)",
      },
    ],
  },
  {
    title: 'a write to a relationship ignores its condition',
    ...{ on: 'sqlite', version: 'content' },
    replacements: [
      {
        file: 'src/endpoints/write-endpoints.ts',
        from: 'const write = { ...plan, ...addCondition(planner, target, request) }',
        to: 'const write = mayBeRequired || !mayBeRequired ? plan : { ...addCondition(planner, target, request) }',
      },
    ],
  },
  {
    title: 'a write in one statement ignores the version',
    // A table with triggers is not written in one statement.
    ...{ on: 'postgres', version: 'column', hasJournal: false },
    replacements: [
      {
        file: 'src/sql/write/write-row.ts',
        from: 'state.plan.condition ? updateIfVersion : updateAtOnce',
        to: 'state.plan.condition && !updateIfVersion ? updateIfVersion : updateAtOnce',
      },
    ],
  },
  {
    title: 'the row of a conditional write is not locked before its version is read',
    ...{ on: 'postgres', version: 'content' },
    replacements: [
      {
        file: 'src/sql/write/write-steps.ts',
        from: 'const steps: WriteStep[] = plan.precondition ? [lockStep] : []',
        to: 'const steps: WriteStep[] = plan.precondition && !plan.condition ? [lockStep] : []',
      },
    ],
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

import { type LayoutName, layouts } from './layouts.ts'

/** A test that fails on Citus because it refuses a statement, or does not promise what the test expects. */
interface Exception {
  readonly test: string
  readonly layouts: readonly LayoutName[]
  /** The engine's own words, or what it does not promise. */
  readonly refusal: string
  /** Whether the test passes now and then, because what is not promised depends on what happens at the same time. */
  readonly isByChance?: boolean
}

/** The tests that fail on Citus; `npm run test:citus` fails if another one fails, or if one of these passes in a layout. */
export const exceptions: readonly Exception[] = [
  ...[
    'has page, count, linkage and included resources that agree while other clients write',
    'holds for a streamed response',
    'holds for the rows of a page',
    'holds for a page and its count: both contain a new computer, or neither does',
    'holds for one resource and its linkage',
  ].map(
    (test): Exception => ({
      ...{ test, layouts: ['reference', 'distributed'], isByChance: true },
      refusal:
        'A repeatable read has a snapshot of each server; one that is read later may show the write that another one does not show.',
    }),
  ),
  {
    test: 'rejects a computer with an owner that does not exist',
    layouts: ['distributed'],
    refusal:
      'cannot create foreign key constraint since relations are not colocated or not referencing a reference table',
  },
  {
    test: 'take a number of statements that does not depend on the number of resources',
    layouts: ['reference', 'distributed'],
    refusal:
      'correlated subqueries are not supported when the FROM clause contains a CTE or subquery, so a stream reads the linkage of each batch by a statement of its own.',
  },
  // Histories without a journal run there instead.
  ...(['reference', 'distributed', 'tenant'] as const).flatMap((layout) =>
    ['workers: 1, versions by xmin', 'workers: 2, versions by content'].map(
      (versions): Exception => ({
        test: `every acknowledged write has its place in one order, every key one effect · ${layouts[layout].title}, ${versions}`,
        layouts: [layout],
        refusal: `triggers are not supported on ${layout === 'reference' ? layout : 'distributed'} tables`,
      }),
    ),
  ),
]

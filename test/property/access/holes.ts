/** A mistake in the engine that would leak: a text in a source file, and what stands there instead. */
export interface Hole {
  readonly title: string
  /** The first scenario to run. It finds the mistake, or one of the next does. */
  readonly seed: number
  readonly file: string
  readonly from: string
  readonly to: string
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
/** The mistakes that the property must find, each by itself. */
export const holes: readonly Hole[] = [
  {
    title: 'the count ignores the rule',
    seed: 301,
    file: 'src/store/read.ts',
    from: 'select count(*) from ${from}${compilePrimaryWhere(shape, target)}',
    to: 'select count(*) from ${from}${compilePrimaryWhere(shape, target.access?.unrestricted ?? target)}',
  },
  {
    title: 'a sort uses a hidden field',
    seed: 379,
    file: 'src/plan/access/visible-model.ts',
    from: 'isSortable: field.isSortable && isSortable,',
    to: 'isSortable: field.isSortable,',
  },
  {
    title: 'a forbidden row is included',
    seed: 305,
    file: 'src/store/sqlite/full-read.ts',
    from: 'const where = and([condition, ...inScope(0, resource)])',
    to: 'const where = and([condition, ...(inScope(0, resource).slice(1))])',
  },
  {
    title: 'the linkage of a forbidden row is shown',
    seed: 300,
    file: 'src/store/sqlite/linkage.ts',
    from: 'const where = and([isListed, ...inScope(1, other)])',
    to: 'const where = and([isListed, ...inScope(1, other).slice(1)])',
  },
  {
    title: 'the error of a hidden row differs from that of an absent one',
    seed: 301,
    file: 'src/store/transaction.ts',
    from: 'const { lock } = statements.ofType(notFound.type)',
    to: 'const { inScope: lock } = statements.ofType(notFound.type)',
  },
  {
    title: 'plans are cached without the identity',
    seed: 300,
    file: 'src/plan/access/access-shapes.ts',
    from: "results === undefined ? 'anonymous' : results.map(Number).join('')",
    to: "results === undefined ? 'anonymous' : 'known'",
  },
  {
    title: 'a relationship is written from the other side without its rule',
    seed: 313,
    file: 'src/store/access/write-checks.ts',
    from: 'if (!hasOwnRule && !isChanged) return []',
    to: 'if ((!hasOwnRule && !isChanged) || type !== context.resource.type) return []',
  },
  {
    title: 'a field is compared with a hidden one',
    seed: 432,
    file: 'src/plan/filter.ts',
    from: "const other = findAttribute(predicate, name, resource, '.field')",
    to: "const other = findAttribute(predicate, name, resource.complete ?? resource, '.field')",
  },
  {
    title: 'a computed field shows a hidden input',
    seed: 303,
    file: 'src/plan/access/visible-model.ts',
    from: "if (field.is === 'computed') return field.columns.map(([column]) => column)",
    to: "if (field.is === 'computed') return []",
  },
  {
    title: 'the answer to a write ignores the rule',
    seed: 301,
    file: 'src/store/transaction.ts',
    from: 'addIdentity(connect(statements), identity)',
    to: 'addIdentity({ ...connect(statements), read: connect(statementsOf(undefined)).read }, identity)',
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

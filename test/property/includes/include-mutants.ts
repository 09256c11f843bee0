import type { CursorMutant } from '../cursors/cursor-mutants.ts'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
/** Mutants of the engine whose pages of included members are wrong. Random requests must detect each by itself. */
export const includeMutants: readonly CursorMutant[] = [
  {
    title: 'members that are equal in the sort come in another order',
    file: 'src/plan/include-page.ts',
    from: 'const plan = (terms: Parameters<typeof planSort>[0]) => untilId(planSort(terms, related, model))',
    to: 'const plan = (terms: Parameters<typeof planSort>[0]) => untilId(planSort(terms, related, model)).map((term) => term.field === "id" && terms.length > 0 && term.path.length === 0 ? { ...term, descending: !term.descending } : term)',
  },
  {
    title: 'the limit holds for all resources together',
    file: 'src/sql/read/include-page.ts',
    from: "return compileStatement(sql`${select} limit ${rawParam('maxRows')} + 0`, target.dialect)",
    to: "return compileStatement(sql`${select} limit ${rawParam(page.limit ?? 'maxRows')} + 0`, target.dialect)",
  },
  {
    title: 'a member that the identity may not read counts',
    file: 'src/sql/read/include-page.ts',
    from: 'const where = [...inScope(1, related), ...filter]',
    to: 'const where = [...inScope(1, { ...related, scope: undefined }), ...filter]',
  },
  {
    title: 'the filter is ignored before the limit',
    file: 'src/sql/read/include-page.ts',
    from: 'const where = [...inScope(1, related), ...filter]',
    to: 'const where = inScope(1, related)',
  },
  {
    title: 'a pair that a join table holds twice takes two places',
    file: 'src/sql/read/include-page.ts',
    from: 'const number = sql`dense_rank()',
    to: 'const number = sql`row_number()',
  },
  {
    title: 'the last path decides which members a resource lists',
    file: 'src/sql/read/include.ts',
    from: 'const rows = starts.filter((row) => row[at] === null)',
    to: 'const rows = starts',
  },
  {
    title: 'the member behind the page is listed',
    file: 'src/sql/read/include.ts',
    from: 'const members = distinct.slice(0, size)',
    to: 'const members = distinct',
  },
  {
    title: 'the link to the next page repeats the last member',
    file: 'src/plan/include-page.ts',
    from: "const linkNext = (last: Member) => link('after', toPosition(last))",
    to: "const linkNext = (last: Member) => link('after', { ...toPosition(last), place: 'before' as const })",
  },
  {
    title: 'members behind a cursor start at the first',
    file: 'src/sql/read/include-page.ts',
    from: 'const branches = page.after && listBranches(keys, page.after, target)',
    to: 'const branches = undefined',
  },
  {
    title: 'members behind a cursor are numbered from the first',
    file: 'src/sql/read/include-page.ts',
    from: 'const where = [...members.where, ...isBehindStart(members)]',
    to: 'const where = members.where',
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

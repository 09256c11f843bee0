/** A mutant of the engine whose pages between cursors lose or repeat rows: a text in a source file, and its replacement. */
export interface CursorMutant {
  readonly title: string
  readonly file: string
  readonly from: string
  readonly to: string
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
/** The mutants that walks must detect, each by itself. */
export const cursorMutants: readonly CursorMutant[] = [
  {
    title: 'the branch of nulls is dropped',
    file: 'src/sql/read/page.ts',
    from: 'return nullable && !descending ? [isBehind, sql`${expression} is null`] : [isBehind]',
    to: 'return [isBehind]',
  },
  {
    title: 'a branch compares in the other direction',
    file: 'src/sql/read/page.ts',
    from: "const operator = sql.raw(`${descending ? '<' : '>'}${isIncluded ? '=' : ''}`)",
    to: "const operator = sql.raw(`${nullable && descending ? '>' : descending ? '<' : '>'}${isIncluded ? '=' : ''}`)",
  },
  {
    title: 'the precision of a key is cut',
    file: 'src/sqlite/dialect.ts',
    from: 'substr(cast(${key} as blob), 1, 513)',
    to: 'substr(${key}, 1, 19)',
  },
  {
    title: 'a key ends at U+0000',
    file: 'src/sqlite/dialect.ts',
    from: 'substr(cast(${key} as blob), 1, 513)',
    to: 'substr(${key}, 1, 513)',
  },
  {
    title: 'a key that is not UTF-8 is in a cursor',
    file: 'src/plan/cursor.ts',
    from: "(key.startsWith('u') && key.includes('\\ufffd'))",
    to: 'false',
  },
  {
    title: 'the bytes of a key are not compared as a text',
    file: 'src/sql/read/page.ts',
    from: '`+cast(${placeholder} as text)`',
    to: '`${placeholder}`',
  },
  {
    title: 'ties at the edge of a page are skipped',
    file: 'src/sql/read/page.ts',
    from: 'return branches.toReversed().flat()',
    to: 'return branches.slice(0, Math.max(1, keys.length - 1)).toReversed().flat()',
  },
  {
    title: 'a key that references no row is trusted',
    file: 'src/sql/read/null-rows.ts',
    from: 'if (findUntrustedKey(path, list.resource, target) !== undefined) return undefined',
    to: '',
  },
  {
    title: 'related rows without a value are dropped',
    file: 'src/sql/read/null-rows.ts',
    from: "...(field === 'id' ? [] : [and([isPresent(last), isNull])]),",
    to: '',
  },
  {
    title: 'the parts of the rows without a value are not merged',
    file: 'src/sql/read/null-rows.ts',
    from: ' order by ${orderBy} limit ${limit}`',
    to: ' limit ${limit}`',
  },
  {
    title: 'a page that was read backwards is not reversed',
    file: 'src/sql/read/page.ts',
    from: 'order: compileOrderBy(isBackward ? reversed : readOrder),',
    to: 'order: compileOrderBy(readOrder),',
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

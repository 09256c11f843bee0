/** Limits on the work that the filters of one request may cause; every supported database can execute a filter within them. */
export const filterLimits = {
  /** Nesting levels of `and`, `or`, `not`, `any` and `has`; below the expression depth limit of each database. */
  depth: 100,
  /** Comparisons in all `filter` parameters of a request, nested ones included. */
  terms: 200,
  /** Values of one list; the query string of a URL has fewer. */
  values: 20_000,
  /** Nested relationships; databases limit the depth of subqueries. */
  relationships: 20,
  /** Relationships in all terms together; each becomes a subquery. */
  subqueries: 200,
  /** Characters in the value of a text search operator. */
  patternLength: 1000,
  /** `%` in a pattern; a database may try each one at every character of a text. */
  wildcards: 30,
  /** Words in the value of `match`. */
  words: 30,
} as const

/** How much work a filter may ask for: more than anyone writes by hand, little enough for every database. */
export const filterLimits = {
  /** Levels of `and`, `or`, `not`, `any` and `has`, one inside the other: less deep than any database's own limit. */
  depth: 100,
  /** Comparisons in all `filter` parameters of a request, nested ones included. */
  terms: 200,
  /** Relationships that are followed, one inside the other: databases limit the depth of an expression. */
  relationships: 20,
  /** Relationships that are followed in all terms together; each is a subquery. */
  subqueries: 200,
  /** Characters of the value of an operator that searches in texts. */
  patternLength: 1000,
  /** `%` in a pattern; each may be tried at every character of a text. */
  wildcards: 30,
  /** Words in the value of `match`. */
  words: 30,
} as const

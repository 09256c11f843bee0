/** SQL's three truth values; `null` is unknown. */
export type Truth = boolean | null

/** False if one is false, else unknown if one is unknown, else true. */
export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

/** True if one is true, else unknown if one is unknown, else false. */
export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true
  return truths.includes(null) ? null : false
}

/** The opposite; of unknown, unknown. */
export function negate(truth: Truth): Truth {
  return truth === null ? null : !truth
}

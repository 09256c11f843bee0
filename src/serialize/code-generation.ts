import type { Row } from '../plan/row-layout.ts'

// Code generation. The serializer of each row layout is a function of its own, compiled from generated source code. V8
// collects type feedback per function, so it inlines the few functions that one layout calls. A shared loop calls the
// functions of all layouts at one place, and V8 inlines none of them: 150 computers (benchmark row `included`) take 46 µs
// instead of 29.
//
// Invariant: generated code contains numbers alone. Names, texts and functions are passed to it as arguments, so neither
// a declaration nor a request can reach the code. Where Node runs with `--disallow-code-generation-from-strings`, closures
// replace the generated functions and produce the same text, which `test/engine/read/code-generation.test.ts` proves.

/** Returns a part of a document that depends on a row. `idSegment` is the id of the row as a path segment. */
export type RowPart = (row: Row, idSegment: string) => string

/** Joins parts with the texts before, between and after them: one text more than there are parts. */
type Concatenate = (texts: readonly string[], parts: readonly RowPart[]) => RowPart

/** Builds an object from the values at `indexes` of a row, under `names`. */
type BuildRecord = (
  names: readonly string[],
  indexes: readonly number[],
) => (row: Row) => Readonly<Record<string, unknown>>

/**
 * Generates the function that joins this many parts with the texts around them, e.g. for two parts
 * `(row, idSegment) => t0 + p0(row, idSegment) + t1 + p1(row, idSegment) + t2`.
 */
export function generateConcatenation(partCount: number): Concatenate {
  const texts = list(partCount + 1, (number) => `t${number}`)
  const parts = list(partCount, (number) => `p${number}`)
  const sum = list(partCount, (number) => ` + p${number}(row, idSegment) + t${number + 1}`, '')
  // The code returns a `Concatenate`.
  const generated = evaluate(`([${texts}], [${parts}]) => (row, idSegment) => t0${sum}`)
  return (generated as Concatenate | undefined) ?? concatenateInLoop
}

/**
 * Generates the function that builds an object of this many values, e.g. for two values
 * `(row) => ({ [n0]: row[i0], [n1]: row[i1] })`.
 */
export function generateRecordBuilder(valueCount: number): BuildRecord {
  const names = list(valueCount, (number) => `n${number}`)
  const indexes = list(valueCount, (number) => `i${number}`)
  const members = list(valueCount, (number) => `[n${number}]: row[i${number}]`)
  // The code returns a `BuildRecord`.
  const generated = evaluate(`([${names}], [${indexes}]) => (row) => ({ ${members} })`)
  return (generated as BuildRecord | undefined) ?? buildRecordFromEntries
}

function list(count: number, format: (number: number) => string, separator = ', '): string {
  return Array.from({ length: count }, (_, number) => format(number)).join(separator)
}

/** Evaluates an expression; `undefined` where code generation is disallowed. */
function evaluate(expression: string): unknown {
  try {
    return new Function(`return ${expression}`)()
  } catch (error) {
    if (error instanceof EvalError) return undefined
    throw error
  }
}

const concatenateInLoop: Concatenate = ([first = '', ...texts], parts) => {
  return (row, idSegment) =>
    parts.reduce((text, part, index) => text + part(row, idSegment) + texts[index], first)
}

const buildRecordFromEntries: BuildRecord = (names, indexes) => {
  return (row) => Object.fromEntries(names.map((name, at) => [name, row[indexes[at] ?? -1]]))
}

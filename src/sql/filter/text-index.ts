import type { TextIndex } from '../../model/declare/fields.ts'
import type { Dialect, Sql } from '../../model/dialect.ts'
import { type ParameterSource, param, patternParam } from '../statement.ts'

/** The text index that an attribute has in a database, and how its columns are compiled. */
interface IndexedText {
  readonly index: TextIndex
  /** The attribute's own column in the index. */
  readonly name: string
  readonly column: (name: string) => Sql
}

/**
 * Compiles `match` by a text index. The index decides what a word is.
 * @param parameter - the number of the parameter with the words
 * @returns `undefined` if the attribute has no index in this database
 */
export function compileIndexedMatch(
  { index, name, column }: IndexedText,
  parameter: ParameterSource,
  dialect: Dialect,
): Sql | undefined {
  const { isDeclared, toQuery, match } = dialect.textIndexes
  if (!isDeclared(index)) return undefined
  const query = toQuery
    ? patternParam(parameter, 'match', ({ text }) => toQuery(text, name))
    : param(parameter, 'text', dialect)
  return match(index, column, query)
}

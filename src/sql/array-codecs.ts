import { quote } from '../errors/quote.ts'
import type { DialectName } from '../model/database-names.ts'
import { arrayCodecName, type CodecName, type ScalarCodecName } from '../model/kinds/codec-names.ts'
import type { ColumnCodec, CreateArrayCodec, DatabaseCodecs } from '../model/kinds/column-codec.ts'
import { storedValueError } from '../model/kinds/stored-values.ts'

/**
 * Creates the codecs of a database: those of single values, and for each two of arrays, without and with null elements.
 * @param createArray - creates those of arrays
 */
export function createCodecs(
  database: DialectName,
  scalars: Readonly<Record<ScalarCodecName, ColumnCodec>>,
  createArray: CreateArrayCodec,
): DatabaseCodecs {
  const arrays = Object.entries<ColumnCodec>(scalars).flatMap(([name, element]) =>
    [false, true].map(
      (hasNulls) =>
        [arrayCodecName(name, hasNulls), createArray(element, { name, hasNulls })] as const,
    ),
  )
  // Each name has its codecs. `Object.fromEntries` cannot say which names there are.
  const named = { ...scalars, ...Object.fromEntries(arrays) } as Record<CodecName, ColumnCodec>
  return { database, named, createArray }
}

/**
 * Loads the elements of a stored array.
 * @param elements - the JSON of the stored array
 * @param loadElement - never gets null
 * @throws Error if the JSON is not an array, if an element is not valid, or if it is null and must not be
 */
export function loadElements(
  elements: unknown,
  hasNulls: boolean,
  loadElement: (element: unknown) => unknown,
): readonly unknown[] {
  if (!Array.isArray(elements)) throw storedValueError(elements, 'array')
  return elements.map((element: unknown) => {
    const value = element === null ? null : loadElement(element)
    if (value === null && !hasNulls)
      throw storedValueError(
        elements,
        'array',
        element === null ? 'it has a null element' : `JSON cannot express ${quote(element)}`,
      )
    return value
  })
}

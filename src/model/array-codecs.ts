import { quote } from '../errors/quote.ts'
import type { ColumnCodec } from './column-codec.ts'
import { storedValueError } from './stored-values.ts'

/** Creates the codec of arrays in a database. */
export type CreateArrayCodec = (
  element: ColumnCodec,
  options: Readonly<{
    /** The name of the codec of the elements, or of the kind that a program defines. */
    name: string
    /** Whether elements can be null. */
    hasNulls: boolean
  }>,
) => ColumnCodec<readonly unknown[]>

/** Writes the name of the codec of arrays: a question mark means that elements can be null. */
export function arrayCodecName<Name extends string>(
  name: Name,
  hasNulls: boolean,
): `${Name}${'' | '?'}[]` {
  return `${name}${hasNulls ? '?' : ''}[]`
}

/** Creates two codecs of arrays for each codec of single values: without and with null elements. */
export function createArrayCodecs<Name extends string>(
  elements: Readonly<Record<Name, ColumnCodec>>,
  create: CreateArrayCodec,
): Readonly<Record<`${Name}${'' | '?'}[]`, ColumnCodec>> {
  const entries = Object.entries<ColumnCodec>(elements).flatMap(([name, element]) =>
    [false, true].map(
      (hasNulls) => [arrayCodecName(name, hasNulls), create(element, { name, hasNulls })] as const,
    ),
  )
  // Each name has its codecs. `Object.fromEntries` cannot say which names there are.
  return Object.fromEntries(entries) as Record<`${Name}${'' | '?'}[]`, ColumnCodec>
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

import type { KindValues } from './kind-case.ts'
import { kindsOfNumber } from './kinds-of-number.ts'
import { kindsOfText } from './kinds-of-text.ts'
import { kindsOfTime } from './kinds-of-time.ts'
import { kindsOpaque } from './kinds-opaque.ts'

/** The values of every kind, by the name of an attribute of this kind. Some kinds occur with several options. */
export const kindValues: Readonly<Record<string, KindValues>> = {
  ...kindsOfText,
  ...kindsOfNumber,
  ...kindsOfTime,
  ...kindsOpaque,
}

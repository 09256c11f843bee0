import type { KindValues } from './kind-case.ts'
import { kindsOfNumber } from './kinds-of-number.ts'
import { kindsOfText } from './kinds-of-text.ts'
import { kindsOfTime } from './kinds-of-time.ts'
import { kindsOpaque } from './kinds-opaque.ts'

/** Every kind, with what it takes and refuses, by the name of the attribute that is of it; some with several options. */
export const kindValues: Readonly<Record<string, KindValues>> = {
  ...kindsOfText,
  ...kindsOfNumber,
  ...kindsOfTime,
  ...kindsOpaque,
}

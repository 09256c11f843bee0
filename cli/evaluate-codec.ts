import type { Codec } from 'lapidary'
import * as lapidary from 'lapidary'
import { evaluateCode } from './evaluate-code.ts'
import type { KindCode } from './infer-kind.ts'

const scope: ReadonlyMap<string, unknown> = new Map(Object.entries(lapidary))

/** Evaluates the code of a kind. @returns its codec; `undefined` for no kind */
export function evaluateCodec(kind: KindCode | undefined): Codec | undefined {
  if (kind === undefined) return undefined
  // The code of a kind is an expression whose value is a kind.
  return (evaluateCode(kind.code, scope) as Readonly<{ codec: Codec }>).codec
}

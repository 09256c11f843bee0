import type { ResourceDeclaration } from 'lapidary'
import * as lapidary from 'lapidary'
import { evaluateCode } from './evaluate-code.ts'
import type { Declarations } from './generate-declarations.ts'

/**
 * Makes the declarations that the generated source would make, without writing it: the source imports its names from
 * `lapidary` too.
 */
export function evaluateDeclarations({ resources }: Declarations): readonly ResourceDeclaration[] {
  const scope = new Map<string, unknown>(Object.entries(lapidary))
  // The code of each declaration is a call of `resource`.
  return resources.map(({ code }) => evaluateCode(code, scope) as ResourceDeclaration)
}

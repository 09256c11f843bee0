import type { Codec } from 'lapidary'
import * as lapidary from 'lapidary'
import { type Code, isAtom, type SqlFunction } from './code.ts'
import type { KindCode } from './kind-code.ts'

/**
 * Evaluates an expression, as JavaScript would evaluate its source.
 * @param scope - the values of its identifiers and its functions, by name
 * @throws Error when a name is not in the scope
 */
export function evaluateCode(code: Code, scope: ReadonlyMap<string, unknown>): unknown {
  if (isAtom(code)) {
    if (typeof code !== 'object') return code
    return code.is === 'sql'
      ? callSql({ parameters: [], texts: [code.text] }, {}, scope)
      : lookUp(code.name, scope)
  }
  switch (code.is) {
    case 'array':
      return code.items.map((item) => evaluateCode(item, scope))
    case 'object':
      return Object.fromEntries(
        code.entries.flatMap((entry) =>
          entry.is === 'member' ? [[entry.key, evaluateCode(entry.value, scope)]] : [],
        ),
      )
    case 'sql function':
      return (values: Readonly<Record<string, unknown>>) => callSql(code, values, scope)
    case 'call': {
      const callee = lookUp(code.name, scope)
      if (typeof callee !== 'function') throw new Error(`${code.name} is not a function`)
      const args = code.arguments.map((argument) => evaluateCode(argument, scope))
      return Reflect.apply(callee, undefined, args)
    }
  }
}

/** Calls the tag `sql` with a template. */
function callSql(
  { parameters, texts }: Pick<SqlFunction, 'parameters' | 'texts'>,
  values: Readonly<Record<string, unknown>>,
  scope: ReadonlyMap<string, unknown>,
): unknown {
  const sql = lookUp('sql', scope)
  if (typeof sql !== 'function') throw new Error('sql is not a function')
  const strings = Object.assign([...texts], { raw: texts })
  return Reflect.apply(sql, undefined, [strings, ...parameters.map((name) => values[name])])
}

function lookUp(name: string, scope: ReadonlyMap<string, unknown>): unknown {
  if (!scope.has(name)) throw new Error(`${name} is not defined`)
  return scope.get(name)
}

const scope: ReadonlyMap<string, unknown> = new Map(Object.entries(lapidary))

/** Evaluates the code of a kind. @returns its codec; `undefined` for no kind */
export function evaluateCodec(kind: KindCode | undefined): Codec | undefined {
  if (kind === undefined) return undefined
  // The code of a kind is an expression whose value is a kind.
  return (evaluateCode(kind.code, scope) as Readonly<{ codec: Codec }>).codec
}

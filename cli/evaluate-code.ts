import { type Code, isAtom } from './code.ts'

/**
 * Evaluates an expression, as JavaScript would evaluate its source.
 * @param scope - the values of its identifiers and its functions, by name
 * @throws Error when a name is not in the scope
 */
export function evaluateCode(code: Code, scope: ReadonlyMap<string, unknown>): unknown {
  if (isAtom(code)) return typeof code === 'object' ? lookUp(code.name, scope) : code
  switch (code.is) {
    case 'array':
      return code.items.map((item) => evaluateCode(item, scope))
    case 'object':
      return Object.fromEntries(
        code.entries.flatMap((entry) =>
          entry.is === 'member' ? [[entry.key, evaluateCode(entry.value, scope)]] : [],
        ),
      )
    case 'sql function': {
      const sql = lookUp('sql', scope)
      if (typeof sql !== 'function') throw new Error('sql is not a function')
      const { parameters, texts } = code
      const strings = Object.assign([...texts], { raw: texts })
      return (values: Readonly<Record<string, unknown>>) =>
        Reflect.apply(sql, undefined, [strings, ...parameters.map((name) => values[name])])
    }
    case 'call': {
      const callee = lookUp(code.name, scope)
      if (typeof callee !== 'function') throw new Error(`${code.name} is not a function`)
      const args = code.arguments.map((argument) => evaluateCode(argument, scope))
      return Reflect.apply(callee, undefined, args)
    }
  }
}

function lookUp(name: string, scope: ReadonlyMap<string, unknown>): unknown {
  if (!scope.has(name)) throw new Error(`${name} is not defined`)
  return scope.get(name)
}

/**
 * A TypeScript expression as plain data. `formatCode` writes it as source, `evaluateCode` returns its value. A string, a
 * number or a boolean is a literal. `lapidary serve` evaluates what `lapidary init` writes, so that both serve the same API; no source
 * is parsed or run.
 */
export type Code =
  | Atom
  | Readonly<{ is: 'call'; name: string; arguments: readonly Code[] }>
  | Readonly<{ is: 'array'; items: readonly Code[] }>
  | CodeObject
  | SqlFunction

/** A function from an object with SQL expressions to SQL: its texts, with a parameter between two of them. */
export interface SqlFunction {
  readonly is: 'sql function'
  readonly parameters: readonly string[]
  readonly texts: readonly string[]
}

/** An expression that is never broken into lines: a literal, an identifier, or a template of SQL. */
export type Atom =
  | string
  | number
  | boolean
  | Readonly<{ is: 'identifier'; name: string }>
  | Readonly<{ is: 'sql'; text: string }>

/** An object literal. */
export interface CodeObject {
  readonly is: 'object'
  /** True if each member has a line of its own even when all would fit on one. */
  readonly isExpanded: boolean
  readonly entries: readonly CodeEntry[]
}

/** A member of an object literal, or a comment line between members. */
export type CodeEntry = Member | Readonly<{ is: 'comment'; text: string }>

/** A member of an object literal. */
export type Member = Readonly<{ is: 'member'; key: string; value: Code }>

/** Makes an identifier. */
export function identifier(name: string): Code {
  return { is: 'identifier', name }
}

/** True for an expression that is never broken into lines. */
export function isAtom(code: Code): code is Atom {
  return typeof code !== 'object' || code.is === 'identifier' || code.is === 'sql'
}

/** Makes a function call. */
export function call(name: string, ...args: readonly Code[]): Code {
  return { is: 'call', name, arguments: args }
}

/** Makes an object literal of the members that are not `undefined`. */
export function object(members: Readonly<Record<string, Code | undefined>>): CodeObject {
  return { is: 'object', isExpanded: false, entries: toEntries(members) }
}

/** Makes the entries of an object literal, without the members that are `undefined`. */
export function toEntries(members: Readonly<Record<string, Code | undefined>>): CodeEntry[] {
  return Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [{ is: 'member', key, value } as const],
  )
}

/** Writes the two lines of a function that writes SQL: its parameters, and its template. */
export function formatSqlFunction({ parameters, texts }: SqlFunction): readonly [string, string] {
  const isIdentifier = (name: string) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
  const names = parameters.map((name, index) =>
    isIdentifier(name) ? name : `argument${index + 1}`,
  )
  const members = parameters.map((name, index) =>
    name === names[index] ? name : `${quote(name)}: ${names[index]}`,
  )
  const body = texts.map((text, index) =>
    index === 0 ? escapeText(text) : `\${${names[index - 1]}}${escapeText(text)}`,
  )
  const pattern = members.length === 0 ? '' : `{ ${members.join(', ')} }`
  return [`(${pattern}) =>`, `sql\`${body.join('')}\``]
}

/** Writes a template of SQL without parameters. */
export function formatSql(text: string): string {
  return `sql\`${escapeText(text)}\``
}

/** Escapes the text of a template literal. */
function escapeText(text: string): string {
  return text.replace(/[\\`]|\$\{/g, '\\$&')
}

/** Writes a string literal: in single quotes, or in double quotes where that needs fewer escapes. */
export function quote(text: string): string {
  const [singles, doubles] = [text.split("'").length, text.split('"').length]
  const body = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  const mark = singles > doubles ? '"' : "'"
  return mark + body.replaceAll(mark, `\\${mark}`) + mark
}

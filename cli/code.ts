/**
 * An expression of TypeScript, as plain data. A text is written as it stands: a name, a number, or what `quoted` made.
 */
export type Code =
  | string
  | Readonly<{ is: 'call'; name: string; given: readonly Code[] }>
  | Readonly<{ is: 'list'; items: readonly Code[] }>
  | CodeObject

/** An object; one that is `open` stands on lines of its own however short it is. */
export interface CodeObject {
  readonly is: 'object'
  readonly open: boolean
  readonly lines: readonly CodeLine[]
}

/** A member of an object, or a line of comment between members. */
export type CodeLine = Member | Readonly<{ is: 'comment'; text: string }>

type Member = Readonly<{ is: 'member'; key: string; value: Code }>

/** The longest line, in characters. */
const width = 100
const step = 2

/** A call of a function. */
export function call(name: string, ...given: readonly Code[]): Code {
  return { is: 'call', name, given }
}

/** An object with the members that are there. */
export function object(members: Readonly<Record<string, Code | undefined>>): CodeObject {
  return { is: 'object', open: false, lines: membersOf(members) }
}

/** Lines for the members that are there. */
export function membersOf(members: Readonly<Record<string, Code | undefined>>): CodeLine[] {
  return Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [{ is: 'member', key, value } as const],
  )
}

/** A text as a literal: in single quotes, or in double ones where that saves backslashes. */
export function quoted(text: string): string {
  const [singles, doubles] = [text.split("'").length, text.split('"').length]
  const body = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  const mark = singles > doubles ? '"' : "'"
  return mark + body.replaceAll(mark, `\\${mark}`) + mark
}

/**
 * Writes an expression as Biome formats it.
 *
 * @param column - how many characters stand before it on its line
 * @param indent - how far its line is indented
 * @param after - how many characters follow on its last line
 */
export function written(code: Code, { column, indent, after }: Place): string {
  const flat = flatly(code)
  if (typeof code === 'string') return code
  if (flat !== undefined && column + widthOf(flat) + after <= width) return flat
  if (code.is !== 'call') return overLines(code, indent)
  const { name, given } = code
  const before = given.slice(0, -1).map(flatly)
  const last = given.at(-1)
  const start = [`${name}(`, ...before.map((each) => `${each}, `)].join('')
  // An object or a list at the end keeps the rest on the first line.
  if (
    typeof last === 'object' &&
    last.is !== 'call' &&
    !before.includes(undefined) &&
    column + widthOf(start) < width
  ) {
    return `${start}${overLines(last, indent)})`
  }
  const lines = given.map((each) => `${inner(indent)}${written(each, below(indent))},\n`)
  return `${name}(\n${lines.join('')}${' '.repeat(indent)})`
}

/** Where an expression is written. */
export interface Place {
  readonly column: number
  readonly indent: number
  readonly after: number
}

/** All on one line, or `undefined` where that cannot be. */
function flatly(code: Code): string | undefined {
  if (typeof code === 'string') return code
  switch (code.is) {
    case 'call':
      return around(`${code.name}(`, code.given.map(flatly), ')')
    case 'list':
      return around('[', code.items.map(flatly), ']')
    case 'object': {
      if (code.lines.length === 0) return '{}'
      if (code.open) return undefined
      const members = code.lines.map((line) => {
        const value = line.is === 'member' ? flatly(line.value) : undefined
        return line.is === 'member' && value !== undefined ? `${keyOf(line)}${value}` : undefined
      })
      return around('{ ', members, ' }')
    }
  }
}

function around(
  start: string,
  parts: readonly (string | undefined)[],
  end: string,
): string | undefined {
  return parts.includes(undefined) ? undefined : start + parts.join(', ') + end
}

function overLines(code: Exclude<Code, string | { is: 'call' }>, indent: number): string {
  const lines = code.is === 'list' ? code.items.map(itemLine) : code.lines.map(memberLine)
  const [start, end] = code.is === 'list' ? '[]' : '{}'
  return `${start}\n${lines.join('')}${' '.repeat(indent)}${end}`

  function itemLine(item: Code): string {
    return `${inner(indent)}${written(item, below(indent))},\n`
  }

  function memberLine(line: CodeLine): string {
    if (line.is === 'comment') return `${inner(indent)}${line.text}\n`
    const key = inner(indent) + keyOf(line)
    const column = widthOf(key)
    if (breaksFirst(line, column)) {
      const lower = written(line.value, below(indent + step))
      return `${key.trimEnd()}\n${inner(indent + step)}${lower},\n`
    }
    return `${key}${written(line.value, { column, indent: indent + step, after: 1 })},\n`
  }
}

/** Whether a member's value starts below its key: what cannot be broken itself, or not soon enough. */
function breaksFirst({ key, value }: Member, column: number): boolean {
  const flat = flatly(value)
  if (flat !== undefined && column + widthOf(flat) + 1 <= width) return false
  // Below a key as short as this, a text would hardly gain room.
  if (typeof value === 'string') return key.length > 4
  if (value.is !== 'call') return false
  const [only, ...others] = value.given
  const isShort = typeof only === 'string' && only.length <= width / 4 && others.length === 0
  return isShort || column + value.name.length + 1 > width
}

/** Letters as wide as two. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu

/** How many columns of an editor a text takes. */
function widthOf(text: string): number {
  return [...text.replace(wide, '##')].length
}

function keyOf({ key }: Readonly<{ key: string }>): string {
  const isName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
  return `${isName ? key : quoted(key)}: `
}

function inner(indent: number): string {
  return ' '.repeat(indent + step)
}

function below(indent: number): Place {
  return { column: indent + step, indent: indent + step, after: 1 }
}

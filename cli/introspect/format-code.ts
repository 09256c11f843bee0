import {
  type Atom,
  type Code,
  type CodeEntry,
  formatSql,
  formatSqlFunction,
  isAtom,
  type Member,
  quote,
} from './code.ts'

/** Where on its line an expression is written. Numbers count characters. */
interface CodePosition {
  /** The width of what precedes the expression on its first line. */
  readonly column: number
  /** The indentation of that line. */
  readonly indent: number
  /** The width of what follows the expression on its last line. */
  readonly suffix: number
}

const lineWidth = 100
const indentWidth = 2

/** Formats an expression as Biome does. */
export function formatCode(code: Code, { column, indent, suffix }: CodePosition): string {
  if (isAtom(code)) return formatAtom(code)
  const oneLine = formatOnOneLine(code)
  if (oneLine !== undefined && column + displayWidth(oneLine) + suffix <= lineWidth) return oneLine
  if (code.is === 'sql function') {
    const [start, body] = formatSqlFunction(code)
    return `${start}\n${innerIndent(indent)}${body}`
  }
  if (code.is !== 'call') return formatExpanded(code, indent)
  const { name, arguments: args } = code
  const leading = args.slice(0, -1).map(formatOnOneLine)
  const last = args.at(-1)
  const start = [`${name}(`, ...leading.map((argument) => `${argument}, `)].join('')
  // Biome keeps the other arguments on the first line when the last one is an object or an array.
  if (
    last !== undefined &&
    !isAtom(last) &&
    last.is !== 'call' &&
    last.is !== 'sql function' &&
    !leading.includes(undefined) &&
    column + displayWidth(start) < lineWidth
  ) {
    return `${start}${formatExpanded(last, indent)})`
  }
  const lines = args.map((argument) => formatListItem(argument, indent))
  return `${name}(\n${lines.join('')}${' '.repeat(indent)})`
}

/** @returns `undefined` when the expression contains an expanded object or a comment */
function formatOnOneLine(code: Code): string | undefined {
  if (isAtom(code)) return formatAtom(code)
  switch (code.is) {
    case 'call':
      return enclose(`${code.name}(`, code.arguments.map(formatOnOneLine), ')')
    case 'sql function':
      return formatSqlFunction(code).join(' ')
    case 'array':
      return enclose('[', code.items.map(formatOnOneLine), ']')
    case 'object': {
      if (code.entries.length === 0) return '{}'
      if (code.isExpanded) return undefined
      const members = code.entries.map((entry) => {
        const value = entry.is === 'member' ? formatOnOneLine(entry.value) : undefined
        return entry.is === 'member' && value !== undefined
          ? `${formatKey(entry)}${value}`
          : undefined
      })
      return enclose('{ ', members, ' }')
    }
  }
}

function formatAtom(atom: Atom): string {
  if (typeof atom === 'object') return atom.is === 'sql' ? formatSql(atom.text) : atom.name
  return typeof atom === 'string' ? quote(atom) : String(atom)
}

function enclose(
  start: string,
  parts: readonly (string | undefined)[],
  end: string,
): string | undefined {
  return parts.includes(undefined) ? undefined : start + parts.join(', ') + end
}

function formatExpanded(
  code: Exclude<Code, Atom | { is: 'call' | 'sql function' }>,
  indent: number,
): string {
  const isArray = code.is === 'array'
  const lines = isArray
    ? code.items.map((item) => formatListItem(item, indent))
    : code.entries.map((entry) => formatEntry(entry, indent))
  const [start, end] = isArray ? '[]' : '{}'
  return `${start}\n${lines.join('')}${' '.repeat(indent)}${end}`
}

function formatListItem(item: Code, indent: number): string {
  return `${innerIndent(indent)}${formatCode(item, onNewLine(indent))},\n`
}

function formatEntry(entry: CodeEntry, indent: number): string {
  if (entry.is === 'comment') return `${innerIndent(indent)}${entry.text}\n`
  const key = innerIndent(indent) + formatKey(entry)
  const column = displayWidth(key)
  const memberIndent = indent + indentWidth
  if (startsBelowKey(entry, column)) {
    const value = formatCode(entry.value, onNewLine(memberIndent))
    return `${key.trimEnd()}\n${innerIndent(memberIndent)}${value},\n`
  }
  return `${key}${formatCode(entry.value, { column, indent: memberIndent, suffix: 1 })},\n`
}

/** True if Biome puts the value of a member on the line below its key. */
function startsBelowKey({ key, value }: Member, column: number): boolean {
  const oneLine = formatOnOneLine(value)
  if (oneLine !== undefined && column + displayWidth(oneLine) + 1 <= lineWidth) return false
  // Biome keeps a string on the line of a short key, because the line below would be hardly shorter.
  if (isAtom(value)) return key.length > 4
  if (value.is !== 'call') return false
  const [only, ...others] = value.arguments
  const isShort =
    only !== undefined &&
    isAtom(only) &&
    formatAtom(only).length <= lineWidth / 4 &&
    others.length === 0
  return isShort || column + value.name.length + 1 > lineWidth
}

/** Characters that take two columns of a fixed-width font. */
const fullWidthCharacters =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu

/** The width of a text in columns of a fixed-width font. */
function displayWidth(text: string): number {
  return [...text.replace(fullWidthCharacters, '##')].length
}

function formatKey({ key }: Member): string {
  const isIdentifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
  return `${isIdentifier ? key : quote(key)}: `
}

function innerIndent(indent: number): string {
  return ' '.repeat(indent + indentWidth)
}

function onNewLine(indent: number): CodePosition {
  return { column: indent + indentWidth, indent: indent + indentWidth, suffix: 1 }
}

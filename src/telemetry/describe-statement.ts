import { LRUCache } from 'lru-cache'
import type { ObservedStatement } from '../observe/events.ts'

/** What telemetry says of a statement, by the names of OpenTelemetry's conventions for databases. */
export interface DescribedStatement {
  /** `db.operation.name`, e.g. `SELECT`. */
  readonly operation: string
  /** `db.collection.name`: the first table; `undefined` without one. */
  readonly collection: string | undefined
  /** `db.query.summary`: the operation and the tables, e.g. `SELECT person computer`. */
  readonly summary: string
  /** `db.query.text`: the statement with `?` in the place of every literal. */
  readonly text: string
}

/** The longest summary, in characters (`db.query.summary` of the conventions). */
const maxSummary = 255
/** The longest text, in characters. */
const maxText = 8192
/** How many texts are remembered whose statement is a new object each time, such as the SQL of hooks. */
const maxTexts = 1000

/** Creates the function that describes statements; each query shape once. */
export function createStatementDescriber(): (
  statement: ObservedStatement['statement'],
) => DescribedStatement {
  const byStatement = new WeakMap<object, DescribedStatement>()
  const byText = new LRUCache<string, DescribedStatement>({ max: maxTexts })
  return (statement) => {
    const known = byStatement.get(statement)
    if (known) return known
    const described = byText.get(statement.sql) ?? describeSql(statement.sql)
    byStatement.set(statement, described)
    byText.set(statement.sql, described)
    return described
  }
}

/** A token of SQL. */
interface Token {
  readonly is: 'word' | 'name' | 'literal' | 'comment' | 'space' | 'other'
  readonly text: string
}

// The engine's own statements and the SQL of applications are described alike, so this reads SQL as both databases write it.
const tokenPattern = new RegExp(
  [
    /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<literal>(?:[eExXbBnN]|[uU]&)?'(?:[^']|'')*'|\$(?<tag>[A-Za-z_]*)\$[\s\S]*?\$\k<tag>\$|\d[\w.]*(?:[eE][+-]?\d+)?)/,
    /(?<name>"(?:[^"]|"")*"|`[^`]*`)/,
    /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<space>\s+)/,
    /(?<other>\$\d+|[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

function tokenize(sql: string): Token[] {
  return [...sql.matchAll(tokenPattern)].map(({ 0: text, groups = {} }) => {
    const kinds = ['comment', 'literal', 'name', 'word', 'space'] as const
    return { is: kinds.find((kind) => groups[kind] !== undefined) ?? 'other', text }
  })
}

/** Describes SQL. Literals are masked: they may be values, where a dialect cannot bind them. */
export function describeSql(sql: string): DescribedStatement {
  const tokens = tokenize(sql)
  const masked = tokens.map(({ is, text }) =>
    is === 'literal' ? '?' : is === 'comment' || is === 'space' ? ' ' : text,
  )
  const text = masked.join('').replace(/ +/g, ' ').trim()
  const words = tokens.filter(({ is }) => is !== 'space' && is !== 'comment')
  const operation = findOperation(words)
  const tables = findTables(words)
  const summary = [operation, ...tables].join(' ')
  return {
    operation,
    collection: tables[0],
    summary:
      summary.length <= maxSummary
        ? summary
        : summary.slice(0, summary.lastIndexOf(' ', maxSummary)),
    text: text.length <= maxText ? text : `${text.slice(0, maxText)}…`,
  }
}

const writes = ['insert', 'update', 'delete']
/** What may follow common table expressions. */
const statements = ['select', 'values', 'table', 'merge', ...writes]

/** The first statement that writes; else the first word that is none of a common table expression. */
function findOperation(tokens: readonly Token[]): string {
  let depth = 0
  let main: string | undefined
  for (const [index, { is, text }] of tokens.entries()) {
    if (text === '(') depth += 1
    if (text === ')') depth -= 1
    if (is !== 'word') continue
    const word = text.toLowerCase()
    const before = tokens[index - 1]?.text.toLowerCase()
    const isStatement = before === undefined || before === '(' || before === ')' || before === ';'
    if (isStatement && writes.includes(word)) return word.toUpperCase()
    if (depth > 0 || main !== undefined) continue
    const isMain = before === undefined ? word !== 'with' : statements.includes(word)
    if (isStatement && isMain) main = word
  }
  return (main ?? 'OTHER').toUpperCase()
}

/** What the words of one level of parentheses have said so far. */
interface Level {
  /** Whether a statement has begun: `from` names tables then, and not a part of a function such as `extract`. */
  isStatement: boolean
  /** Whether a comma is followed by a table. */
  isInFrom: boolean
}

const endsFrom = new Set(
  'where group order limit having union except intersect set on using returning window offset values'.split(
    ' ',
  ),
)
const beginsTable = new Set(['from', 'join', 'into', 'update'])
const beforeTable = new Set([
  'lateral',
  'only',
  'or',
  'ignore',
  'replace',
  'rollback',
  'abort',
  'fail',
])

/** Finds the tables of a statement, without its common table expressions, functions and aliases. */
function findTables(tokens: readonly Token[]): readonly string[] {
  const expressions = findExpressions(tokens)
  const tables = new Set<string>()
  const levels: Level[] = [{ isStatement: false, isInFrom: false }]
  let isTableNext = false
  let isInsert = false
  for (const [index, { is, text }] of tokens.entries()) {
    const level = levels.at(-1) ?? { isStatement: false, isInFrom: false }
    const word = is === 'word' ? text.toLowerCase() : ''
    if (text === '(') levels.push({ isStatement: false, isInFrom: false })
    if (text === ')' && levels.length > 1) levels.pop()
    if (['select', 'update', 'insert', 'delete'].includes(word)) level.isStatement = true
    if (beginsTable.has(word)) {
      const before = tokens[index - 1]?.text.toLowerCase()
      isTableNext =
        level.isStatement && before !== 'distinct' && before !== 'for' && before !== 'do'
      isInsert = word === 'into'
      if (word === 'from' || word === 'join') level.isInFrom = isTableNext
      continue
    }
    if (endsFrom.has(word)) level.isInFrom = false
    if (text === ',') isTableNext = level.isInFrom
    if (!isTableNext || beforeTable.has(word) || text === ',') continue
    if (is === 'name' || is === 'word') {
      // Of a name with a schema, the last part is the table.
      if (tokens[index + 1]?.text === '.') continue
      const name = is === 'name' ? text.slice(1, -1) : text
      const isCall = tokens[index + 1]?.text === '(' && !isInsert
      if (!isCall && !expressions.has(name)) tables.add(name)
    }
    isTableNext = text === '.'
  }
  return [...tables]
}

/** Finds the names of common table expressions: `name as (`, `name (columns) as materialized (`. */
function findExpressions(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [index, { text }] of tokens.entries()) {
    if (text.toLowerCase() !== 'as') continue
    const after = [1, 2, 3].map((offset) => tokens[index + offset]?.text.toLowerCase())
    const opening = after.findIndex((each) => each !== 'not' && each !== 'materialized')
    if (after[opening] !== '(') continue
    const name = tokens[findName(tokens, index - 1)]
    if (name?.is === 'name') names.add(name.text.slice(1, -1))
    else if (name?.is === 'word') names.add(name.text)
  }
  return names
}

/** Skips a list of columns in parentheses backwards. */
function findName(tokens: readonly Token[], end: number): number {
  if (tokens[end]?.text !== ')') return end
  let index = end
  while (index > 0 && tokens[index]?.text !== '(') index -= 1
  return index - 1
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at the end. */
export const root = new URL('../../', import.meta.url)

/** Reads a file by its path from the root. */
export function readPage(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** The absolute path of a file, by its path from the root. */
export function absolutePath(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** A Markdown table: the cells of its heading and of its rows. */
interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Returns the Markdown tables of a text. */
export function tablesIn(text: string): Table[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|') || !isDelimiter(lines[index + 1])) return []
    const rest = lines.slice(index + 2)
    const end = rest.findIndex((row) => !row.startsWith('|'))
    return { head: cellsOf(line), rows: rest.slice(0, end === -1 ? undefined : end).map(cellsOf) }
  })
}

/** Returns the rows of all Markdown tables in a text, as cells, without the headings. */
export function tableRows(text: string): string[][] {
  return tablesIn(text).flatMap(({ rows }) => rows.map((row) => [...row]))
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, line.lastIndexOf('|')).split(/(?<!\\)\|/)
  return cells.map((cell) => cell.trim())
}

function isDelimiter(line = ''): boolean {
  return /^\|[-:| ]+\|$/.test(line)
}

/** The part of a page under a heading, up to the next heading of the same or a higher level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n')
  const start = lines.indexOf(heading)
  if (start === -1) throw new Error(`The page has no heading "${heading}".`)
  const level = heading.indexOf(' ')
  const end = lines.findIndex((line, index) => index > start && levelOf(line) <= level)
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n')
}

function levelOf(line: string): number {
  return /^(#{1,6}) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY
}

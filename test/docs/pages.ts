import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at the end. */
export const root = new URL('../../', import.meta.url)

/** The text of a file, by its path from the root. */
export function page(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** The place of a file on this machine, by its path from the root. */
export function placeOf(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** The cells of every row of the Markdown tables in a text, headings and rulers left out. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n')
  return lines
    .filter((line, index) => line.startsWith('|') && !isRuler(line) && !isRuler(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    )
}

function isRuler(line = ''): boolean {
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

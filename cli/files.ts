import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoted, written } from './code.ts'
import type { Declarations } from './declarations.ts'

/** A file to be written. */
export interface File {
  readonly name: string
  readonly text: string
}

/** A file for each resource type, and `index.ts` with all of them. */
export function filesOf({ resources, leftOut }: Declarations): File[] {
  const imports = resources
    .toSorted((one, other) => inOrder(one.file, other.file))
    .map(({ file, constant }) => `import { ${constant} } from ${quoted(`./${file}.ts`)}\n`)
  const index = [imports.join(''), listing({ resources, leftOut })]
  return [
    ...resources.map(({ file, imports: names, text }) => ({
      name: `${file}.ts`,
      text: `${importing(names)}\n${text}`,
    })),
    { name: 'index.ts', text: index.filter((part) => part !== '').join('\n') },
  ]
}

/** Everything in one text. */
export function textOf({ resources, leftOut }: Declarations): string {
  const names = [...new Set(resources.flatMap(({ imports }) => imports))].sort()
  const texts = resources.map(({ text }) => `${text}\n`)
  return `${importing(names)}\n${texts.join('')}${listing({ resources, leftOut })}`
}

/**
 * Writes files, and makes their folder.
 * @param force - whether files that are there are written over
 * @throws Error when one is there, before any is written
 */
export function writeFiles(folder: string, files: readonly File[], force: boolean): void {
  const present = files.filter(({ name }) => existsSync(join(folder, name)))
  if (present.length > 0 && !force) {
    const names = present.map(({ name }) => name).join(', ')
    throw new Error(`${folder} has ${names} already; --force writes over them`)
  }
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of files) writeFileSync(join(folder, name), text)
}

function importing(names: readonly string[]): string {
  const line = `import { ${names.join(', ')} } from 'lapidary'\n`
  if (line.length <= 101) return line
  return `import {\n${names.map((name) => `  ${name},\n`).join('')}} from 'lapidary'\n`
}

function listing({ resources, leftOut }: Declarations): string {
  const items = resources.map(({ constant }) => constant)
  const start = 'export const resources = '
  const end = ' as const'
  const place = { column: start.length, indent: 0, after: end.length }
  const reasons = leftOut.map((line) => `${line}\n`).join('')
  const list = written({ is: 'list', items }, place)
  return `${reasons}/** Every resource type. */\n${start}${list}${end}\n`
}

/** Names as a list of imports has them: numbers by what they count, the shorter of two that begin alike first. */
function inOrder(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)]
  const at = left.findIndex((part, index) => part !== right[index])
  const [part, opposite] = [left[at], right[at]]
  if (part === undefined || opposite === undefined) return left.length - right.length
  return Number(part) - Number(opposite) || (part < opposite ? -1 : 1)
}

function partsOf(name: string): readonly string[] {
  return name.match(/\d+|\D/g) ?? []
}

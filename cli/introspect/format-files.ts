import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { identifier, quote } from './code.ts'
import { formatCode } from './format-code.ts'
import type { Declarations } from './generate-declarations.ts'

/** A generated file. */
export interface File {
  /** The path from the folder, e.g. `index.ts`. */
  readonly name: string
  readonly text: string
}

/** Formats declarations as one file per resource type, and an `index.ts` that exports all of them as a list. */
export function formatFiles({ resources, omitted }: Declarations): File[] {
  const imports = resources
    .toSorted((one, other) => compareFileNames(one.file, other.file))
    .map(({ file, constant }) => `import { ${constant} } from ${quote(`./${file}.ts`)}\n`)
  const index = [imports.join(''), formatResourceList({ resources, omitted })]
  return [
    ...resources.map(({ file, imports: names, text }) => ({
      name: `${file}.ts`,
      text: `${formatImport(names)}\n${text}`,
    })),
    { name: 'index.ts', text: index.filter((part) => part !== '').join('\n') },
  ]
}

/** Formats declarations as the text of a single file. */
export function formatSingleFile({ resources, omitted }: Declarations): string {
  const names = [...new Set(resources.flatMap(({ imports }) => imports))].sort()
  const texts = resources.map(({ text }) => `${text}\n`)
  return `${formatImport(names)}\n${texts.join('')}${formatResourceList({ resources, omitted })}`
}

/**
 * Writes files to a folder. Creates the folder if it does not exist.
 * @param force - whether to overwrite existing files
 * @throws Error when a file exists and `force` is false; then no file is written
 */
export function writeFiles(folder: string, files: readonly File[], force: boolean): void {
  const existing = files.filter(({ name }) => existsSync(join(folder, name)))
  if (existing.length > 0 && !force) {
    const names = existing.map(({ name }) => name).join(', ')
    throw new Error(`these files exist in ${folder}: ${names}; --force overwrites them`)
  }
  for (const { name, text } of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function formatImport(names: readonly string[]): string {
  const line = `import { ${names.join(', ')} } from 'lapidary'\n`
  if (line.length <= 101) return line
  return `import {\n${names.map((name) => `  ${name},\n`).join('')}} from 'lapidary'\n`
}

function formatResourceList({ resources, omitted }: Declarations): string {
  const items = resources.map(({ constant }) => identifier(constant))
  const start = 'export const resources = '
  const end = ' as const'
  const position = { column: start.length, indent: 0, suffix: end.length }
  const comments = omitted.map((line) => `// ${line}\n`).join('')
  const list = formatCode({ is: 'array', items }, position)
  return `${comments}/** Every resource type. */\n${start}${list}${end}\n`
}

/** Compares file names in the order that Biome sorts imports: digits by value, and a prefix before the longer name. */
function compareFileNames(one: string, other: string): number {
  const [left, right] = [splitDigits(one), splitDigits(other)]
  const index = left.findIndex((part, at) => part !== right[at])
  const [leftPart, rightPart] = [left[index], right[index]]
  if (leftPart === undefined || rightPart === undefined) return left.length - right.length
  return Number(leftPart) - Number(rightPart) || (leftPart < rightPart ? -1 : 1)
}

function splitDigits(name: string): readonly string[] {
  return name.match(/\d+|\D/g) ?? []
}

import { parseArgs } from 'node:util'

/** What a command line asks for. */
export type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'introspect'; address: string; folder: string | undefined; force: boolean }>

/** What `--help` prints. */
export const helpText = `Writes declarations of resources over the tables of a database.

Usage: lapidary introspect <database url> [--out <folder>] [--force]

  <database url>  sqlite:<path> or postgres://<user>:<password>@<host>/<database>; it is only read
  --out <folder>  writes a file for each resource type, and index.ts; else all is printed
  --force         writes over files that are there
  --help          prints this`

const options = {
  out: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/**
 * Reads a command line.
 * @throws Error with one line that says what is wrong with it
 */
export function readCommand(words: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
  if (values.help) return { is: 'help' }
  const [name, address, ...others] = positionals
  if (name !== 'introspect') {
    const said = name === undefined ? 'there is none' : `there is no "${name}"`
    throw new Error(`the command is introspect; ${said}`)
  }
  if (address === undefined || others.length > 0)
    throw new Error('introspect takes one database url, e.g. sqlite:music.db')
  if (values.out === '') throw new Error('--out must name a folder')
  return { is: 'introspect', address, folder: values.out, force: values.force ?? false }
}

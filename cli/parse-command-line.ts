import { parseArgs } from 'node:util'

/** A parsed command line. */
export type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'introspect'; databaseUrl: string; folder: string | undefined; force: boolean }>

/** The output of `--help`. */
export const helpText = `Generates resource declarations from the tables of a database.

Usage: lapidary introspect <database url> [--out <folder>] [--force]

  <database url>  sqlite:<path> or postgres://<user>:<password>@<host>/<database>; only read, never written
  --out <folder>  write one file per resource type and an index.ts; without it, print everything
  --force         overwrite existing files
  --help          print this help`

const options = {
  out: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/**
 * Parses the arguments of the `lapidary` command.
 * @throws Error with a one-line message that names the invalid argument
 */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) return { is: 'help' }
  const [name, databaseUrl, ...others] = positionals
  if (name !== 'introspect') {
    throw new Error(
      name === undefined
        ? 'a command is missing; the only command is introspect'
        : `there is no command "${name}"; the only command is introspect`,
    )
  }
  if (databaseUrl === undefined || others.length > 0)
    throw new Error('introspect takes one database url, e.g. sqlite:music.db')
  if (values.out === '') throw new Error('--out must name a folder')
  return { is: 'introspect', databaseUrl, folder: values.out, force: values.force ?? false }
}

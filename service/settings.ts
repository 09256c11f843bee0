import { parseArgs } from 'node:util'
import { z } from 'zod'

/** A whole number written in digits. */
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine(
      (value) => value >= least && value <= most,
      `must be a whole number from ${least} to ${most}`,
    )

const origin = z
  .string()
  .refine(isOrigin, 'must be an origin such as https://api.example.org, without a path')
const basePath = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be a path such as /api, without a final slash')
const databaseUrl = z
  .string()
  .refine(isDatabase, 'must be sqlite:<path>, sqlite::memory: or postgres://<host>/<database>')
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const largest = Number.MAX_SAFE_INTEGER

/** Every setting: how its text is read, the text that stands in when there is none, and what `--help` says. */
const table = {
  host: {
    reads: z.string().min(1, 'must not be empty'),
    unset: '127.0.0.1',
    help: 'address to listen on',
  },
  port: { reads: whole(0, 65_535), unset: '3000', help: 'port to listen on; 0 takes any free one' },
  databaseUrl: {
    reads: databaseUrl,
    unset: 'sqlite:data/lapidary.db',
    help: 'sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>/<database>',
  },
  basePath: { reads: basePath, unset: '', help: 'in front of every path, e.g. /api' },
  publicUrl: {
    reads: origin.optional(),
    unset: undefined,
    help: "origin of absolute links; else the request's host",
  },
  pageSize: {
    reads: whole(1, largest),
    unset: '30',
    help: 'resources on a page unless page[size] says otherwise',
  },
  maxPageSize: {
    reads: whole(1, largest).optional(),
    unset: undefined,
    help: 'largest page[size]; else any, and 0 for all',
  },
  maxBody: { reads: whole(1, 2 ** 30), unset: '1048576', help: 'largest request body, in bytes' },
  logLevel: {
    reads: z
      .string()
      .refine((level) => levels.includes(level), `must be one of ${levels.join(', ')}`),
    unset: 'info',
    help: levels.join(', '),
  },
  idMismatch: {
    reads: z.enum(['discard', 'conflict'], 'must be discard or conflict'),
    unset: 'discard',
    help: "an update's id that is not the path's: discard it, or conflict (409)",
  },
  clientIds: {
    reads: z.enum(['discard', 'forbid'], 'must be discard or forbid'),
    unset: 'discard',
    help: "a create's id: discard it, or forbid it (403)",
  },
} as const

type Name = keyof typeof table

/** What the service is told from outside, read and checked. */
export type Settings = { readonly [Each in Name]: z.output<(typeof table)[Each]['reads']> }

/** What a command line asks for. */
export type Command =
  | Readonly<{ is: 'help' }>
  | Readonly<{ is: 'serve'; settings: Settings; demo: boolean }>
  | Readonly<{ is: 'refuse'; complaint: string }>

const names = Object.keys(table) as Name[]
const flagOf = (name: Name): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const variableOf = (name: Name): string => flagOf(name).replaceAll('-', '_').toUpperCase()

/**
 * Reads the command line and the environment; a flag goes before a variable.
 * @returns what to do; `refuse` with one line that names every wrong setting
 */
export function readCommand(words: readonly string[], environment: NodeJS.ProcessEnv): Command {
  const flags = Object.fromEntries(names.map((name) => [flagOf(name), { type: 'string' as const }]))
  const switches = { help: { type: 'boolean' as const }, demo: { type: 'boolean' as const } }
  try {
    const parsed = parseArgs({ args: [...words], options: { ...flags, ...switches } })
    const values: Readonly<Record<string, string | boolean | undefined>> = parsed.values
    if (values.help) return { is: 'help' }
    const texts = names.map((name) => [
      name,
      textOf(values[flagOf(name)]) ?? environment[variableOf(name)],
    ])
    return {
      is: 'serve',
      settings: readSettings(Object.fromEntries(texts)),
      demo: values.demo === true,
    }
  } catch (error) {
    return { is: 'refuse', complaint: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Reads settings from texts; what is absent takes its default.
 * @throws Error with one line that names every wrong setting
 */
export function readSettings(texts: Readonly<Partial<Record<Name, string | undefined>>>): Settings {
  const complaints: string[] = []
  const read = names.map((name) => {
    const { reads, unset } = table[name]
    const result = reads.safeParse(texts[name] ?? unset)
    if (!result.success)
      complaints.push(
        `${variableOf(name)} ${result.error.issues[0]?.message}; it is "${texts[name]}"`,
      )
    return [name, result.data]
  })
  const { pageSize, maxPageSize } = Object.fromEntries(read)
  if (texts.pageSize !== undefined && Number(pageSize) > Number(maxPageSize ?? largest)) {
    complaints.push(
      `PAGE_SIZE must not be above MAX_PAGE_SIZE; they are ${pageSize} and ${maxPageSize}`,
    )
  }
  if (complaints.length > 0) throw new Error(complaints.join('; '))
  // Each name was read by its own row of the table.
  return Object.fromEntries(read) as Settings
}

/** What `--help` prints. */
export function helpText(): string {
  const rows = names.map((name) => {
    const { unset, help } = table[name]
    const shown = unset === undefined ? 'none' : unset === '' ? 'empty' : unset
    return `  --${flagOf(name).padEnd(14)} ${variableOf(name).padEnd(14)} ${help} (default: ${shown})`
  })
  return [
    'Serves persons and computers as JSON:API 1.0.',
    '',
    'Usage: npm start -- [--demo] [--help] [--<setting> <value> …]',
    '',
    'Settings, each a flag and an environment variable:',
    ...rows,
    '',
    '  --demo          fills an empty database with a few hundred persons and computers',
    '  --help          prints this',
  ].join('\n')
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isDatabase(text: string): boolean {
  if (/^postgres(ql)?:\/\//.test(text)) return URL.canParse(text)
  return /^sqlite:.+$/s.test(text)
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#]+$/.test(text) && !text.includes('@')
}

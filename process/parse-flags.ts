import { parseArgs } from 'node:util'
import { suggestName } from './suggest-name.ts'

/** The flags of a command, by name: whether they take a value. */
export type FlagTypes = Readonly<Record<string, 'string' | 'boolean'>>

/** The parsed arguments of a command. */
export interface ParsedFlags {
  /** The texts of flags that take a value. Of a repeated flag, the last one counts. */
  readonly texts: Readonly<Record<string, string>>
  /** Every text of the flags that take a value, in order. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  /** The names of the given flags that take no value. */
  readonly switches: ReadonlySet<string>
  /** The arguments that are not flags. */
  readonly positionals: readonly string[]
}

/**
 * Parses the arguments of a command, such as `--port 3000`, `--port=3000` and `--write`.
 * @throws Error with a one-line message that names the invalid flag
 */
export function parseFlags(args: readonly string[], types: FlagTypes): ParsedFlags {
  const options = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]))
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const texts: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const switches = new Set<string>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type === undefined) throw new Error(formatUnknownFlag(rawName, Object.keys(types)))
    if (type === 'boolean' && value !== undefined) throw new Error(`'${rawName}' takes no value`)
    if (type === 'boolean') switches.add(name)
    else if (value === undefined || (!token.inlineValue && value.startsWith('-')))
      throw new Error(`'${rawName}' needs a value; write ${rawName}=<value>`)
    else {
      texts[name] = value
      lists[name] = [...(lists[name] ?? []), value]
    }
  }
  return { texts, lists, switches, positionals }
}

function formatUnknownFlag(rawName: string, names: readonly string[]): string {
  const hint = suggestName(
    rawName,
    names.map((name) => `--${name}`),
  )
  return `there is no option '${rawName}'; ${hint === undefined ? '--help lists the options' : `did you mean '${hint}'?`}`
}

/** A format of text that a setting accepts. */
interface TextFormat<Value> {
  /** Reads a text. @returns `undefined` if the text has another format */
  readonly read: (text: string) => Value | undefined
  /** Completes the sentence "PORT must be …". */
  readonly expected: string
}

/** A setting: a flag of the command line and an environment variable. */
interface Setting<Value = unknown> extends TextFormat<Value> {
  /** The text that counts when none is given; `undefined` when the setting then has no value. */
  readonly default: string | undefined
  /** The description in `--help`. */
  readonly help: string
  /** Whether messages must not contain its text. */
  readonly isSecret?: boolean
}

/** Settings by name in camel case: `maxBody` has the flag `--max-body` and the variable `MAX_BODY`. */
export type SettingTable = Readonly<Record<string, Setting>>

/** The parsed settings of a table. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]:
    | Exclude<ReturnType<Table[Name]['read']>, undefined>
    | (Table[Name]['default'] extends string ? never : undefined)
}

/** The texts of settings, by name. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/** Accepts whole numbers in decimal digits. */
export function integerBetween(minimum: number, maximum: number): TextFormat<number> {
  return {
    read: (text) => {
      const isInRange = /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      return isInRange ? Number(text) : undefined
    },
    expected: `a whole number from ${minimum} to ${maximum}`,
  }
}

/** Accepts one of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): TextFormat<Word> {
  const [last, ...others] = words.toReversed()
  return {
    read: (text) => words.find((word) => word === text),
    expected:
      words.length < 4 ? `${others.reverse().join(', ')} or ${last}` : `one of ${words.join(', ')}`,
  }
}

/** Accepts texts for which a condition holds. */
export function textWhere(
  isValid: (text: string) => boolean,
  expected: string,
): TextFormat<string> {
  return { read: (text) => (isValid(text) ? text : undefined), expected }
}

/** Accepts lists of texts, separated by commas or spaces. */
export function listWhere(
  isValid: (text: string) => boolean,
  expected: string,
): TextFormat<readonly string[]> {
  return {
    read: (text) => {
      const items = text.split(/[\s,]+/).filter((item) => item !== '')
      return items.every(isValid) ? items : undefined
    },
    expected,
  }
}

/** Returns the flag of a setting, without hyphens in front: `max-body` of `maxBody`. */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns the environment variable of a setting: `MAX_BODY` of `maxBody`. */
function toVariable(name: string): string {
  return toFlag(name).replaceAll('-', '_').toUpperCase()
}

/**
 * Collects the texts of settings. A flag overrides the environment variable of the same setting.
 * @param flags - the texts of the given flags, by flag
 */
export function collectTexts(
  table: SettingTable,
  flags: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): SettingTexts {
  const entries = Object.keys(table).map((name) => {
    return [name, flags[toFlag(name)] ?? environment[toVariable(name)]] as const
  })
  return Object.fromEntries(entries)
}

/**
 * Parses settings. Absent settings get their defaults.
 * @param check - returns the errors that concern several settings
 * @throws Error with a one-line message that names every invalid setting
 */
export function parseSettings<Table extends SettingTable>(
  table: Table,
  texts: SettingTexts,
  check: (values: Readonly<Record<string, unknown>>) => readonly string[] = () => [],
): SettingValues<Table> {
  const errors: string[] = []
  const entries = Object.entries(table).map(([name, setting]) => {
    const { read, expected, default: text, isSecret = false } = setting
    const given = texts[name] ?? text
    const value = given === undefined ? undefined : read(given)
    if (given !== undefined && value === undefined)
      errors.push(
        `${toVariable(name)} must be ${expected}${isSecret ? '' : `; it is "${redactPasswords(given)}"`}`,
      )
    return [name, value]
  })
  const values = Object.fromEntries(entries)
  errors.push(...check(values))
  if (errors.length > 0) throw new Error(errors.join('; '))
  // The row of each setting has read its value.
  return values as SettingValues<Table>
}

/** Formats one line of `--help` for each setting: flag, variable, description, default. */
export function formatSettings(table: SettingTable): string[] {
  const names = Object.keys(table)
  const width = Math.max(...names.map((name) => toFlag(name).length))
  return Object.entries(table).map(([name, { default: text, help }]) => {
    const defaultText = text === undefined ? 'none' : text === '' ? 'empty' : text
    const [flag, variable] = [toFlag(name).padEnd(width), toVariable(name).padEnd(width)]
    return `  --${flag} ${variable} ${help} (default: ${defaultText})`
  })
}

/** Replaces passwords in URLs, so that error messages do not contain them. */
function redactPasswords(text: string): string {
  return text.replace(/(?<=:\/\/[^\s/]*:)[^\s/]*(?=@)/g, '…')
}

import { call, identifier } from './code.ts'
import type { KindCode } from './infer-kind.ts'

/** The kind that is a constant of this name. */
export const constant = (name: string): KindCode => ({ name, code: identifier(name) })

/** The kind of columns with integers that `integer` cannot write. */
export const integer64: KindCode = { name: 'integer64', code: call('integer64') }

/** The kinds of columns without a known type by the types of all their values. */
export const kindsByTypes: readonly (readonly [types: readonly string[], kind: KindCode])[] = [
  [['integer'], constant('integer')],
  [['integer', 'real'], constant('number')],
  [['text'], constant('text')],
  [['blob'], constant('bytes')],
]

/** The kinds of columns whose values have no format of the kind of their type. The first that all values fit is chosen. */
export const fallbackKinds: readonly KindCode[] = [
  constant('integer'),
  integer64,
  constant('number'),
  constant('text'),
]

const storedAs = (kind: string, format: string) =>
  [{ name: kind, code: call('storedAs', identifier(kind), format) }, format] as const
/** A kind with its name in messages. */
export const asKind = (kind: KindCode) => [kind, kind.name] as const

/** The formats in which programs store the values of a kind. The first that all values fit is chosen. */
export const storedFormats: Readonly<
  Record<string, readonly (readonly [KindCode, format: string])[]>
> = {
  boolean: 't/f T/F y/n Y/N yes/no YES/NO true/false TRUE/FALSE'
    .split(' ')
    .map((format) => storedAs('boolean', format)),
  // Milliseconds of the last decades are seconds of years beyond 9999.
  datetime: ['epoch-seconds', 'epoch-milliseconds'].map((format) => storedAs('datetime', format)),
}

/** The kind of datetimes that are texts of a format. */
export const datetimeText = (format: string): KindCode => storedAs('datetime', format)[0]

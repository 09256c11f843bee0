import {
  constant,
  decimalKind,
  integer64,
  type KindRule,
  readOnly,
} from '../introspect/kind-code.ts'
import type { CommandDatabase } from './command-database.ts'

// biome-ignore format: one rule per row
const kinds: readonly KindRule[] = [
  [/^ts(?:vector|query)(?:\[\])?$/,                                () => undefined],
  [/^(?:composite|hstore)(?:\[\])?$/,                              () => readOnly('databaseJson')],
  [/^bool(?:ean)?$/,                                               () => constant('boolean')],
  [/^timestamp/,                                                   () => constant('datetime')],
  [/^date$/,                                                       () => constant('date')],
  [/^time(?:\(\d\))?(?: without time zone)?$/,                     () => constant('time')],
  [/^uuid$/,                                                       () => constant('uuid')],
  [/^jsonb?$/,                                                     () => constant('json')],
  [/^(?:bigint|int8|bigserial)$/,                                  () => integer64],
  [/^(?:smallint|integer|int|int2|int4|serial|smallserial)$/,      () => constant('integer')],
  [/^(?:real|double precision|float[48])$/,                        () => constant('number')],
  [/^(?:decimal|numeric)\((\d+)(?:,(\d+))?\)$/,                    ([digits = '', scale]) => decimalKind(digits, scale)],
  // Its precision is not one that `decimal` accepts.
  [/^(?:decimal|numeric)(?:\(.*\))?$/,                             () => decimalKind('')],
  [/^(?:text|citext|bpchar|(?:var)?char|character(?: varying)?)(?:\(\d+\))?$/, () => constant('text')],
  [/^bytea$/,                                                      () => constant('bytes')],
  [/^(?:interval|time.* with time zone|timetz|inet|cidr|macaddr8?|xml|bit|pg_lsn)\b/, () => constant('databaseText')],
  [/^(?:int[48]|num|ts|tstz|date)(?:multi)?range$/,                () => constant('databaseText')],
  [/^(?:point|line|lseg|box|path|polygon|circle)$/,                () => constant('databaseText')],
  // Unknown types, and money, whose text depends on a setting of the database.
  [/^.+$/,                                                         () => readOnly('databaseText')],
]

/** What the commands know of PostgreSQL. */
export const postgres: CommandDatabase = {
  title: 'PostgreSQL',
  async readCatalog(url) {
    const { readPostgresCatalog } = await import('lapidary/postgres')
    try {
      return await readPostgresCatalog(url)
    } catch (error) {
      if (!isDriverMissing(error)) throw error
      const command = 'npx --package lapidary --package pg lapidary'
      throw new Error(`${error.message}, or run the command as "${command} …"`, { cause: error })
    }
  },
  async sample(url, requests) {
    const { samplePostgres } = await import('lapidary/postgres')
    return samplePostgres(url, requests)
  },
  describeMain: () => ({
    open: 'openPostgres',
    module: 'lapidary/postgres',
    variable: 'DATABASE_URL',
  }),
  packages: ['pg'],
  kinds,
  findElementType: (type) => /^(?!ts(?:vector|query)|composite|hstore)(.+)\[\]$/.exec(type)?.[1],
  storesAnyType: false,
  integerDigits: 18,
  // It stores each of their values in one spelling.
  keyKinds: ['decimal', 'time', 'datetime'],
  keyTypes:
    'integers, decimal numbers, UUIDs, text, enumerations, booleans, dates, times or timestamps',
  exactKeyKinds: ['date', 'datetime', 'time', 'decimal'],
  triggersChangeNewRows: true,
  isPlain: ({ isPlain }) => isPlain === true,
  writeVersionTrigger: ({ trigger, table, column }) =>
    `create function ${trigger}() returns trigger language plpgsql as $$ begin if new.${column} = old.${column} then new.${column} := old.${column} + 1; end if; return new; end $$; create trigger ${trigger} before update on ${table} for each row execute function ${trigger}()`,
}

/** True if the driver `pg`, an optional peer dependency, is not installed. */
function isDriverMissing(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
}

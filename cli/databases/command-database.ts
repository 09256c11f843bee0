import type { Catalog, Codec, SampleRequest, StoredTable, TableSample } from 'lapidary'
import type { KindRule } from '../introspect/kind-code.ts'

/** What the commands know of a database. Each has a file of this folder. */
export interface CommandDatabase {
  /** Its name in messages. */
  readonly title: string
  /** Reads the catalog. Writes nothing. @throws Error with a one-line message */
  readonly readCatalog: (url: string) => Promise<Catalog>
  /** Reads the first rows of tables whose catalog was read. Writes nothing. */
  readonly sample: (
    url: string,
    requests: readonly SampleRequest[],
  ) => Promise<readonly TableSample[]>
  /** The part of a generated `main.ts` that depends on the database. @param folder - that of the program */
  readonly describeMain: (url: string, folder: string) => MainParts
  /** The packages that a generated program needs besides. */
  readonly packages: readonly string[]
  /** The kinds of column types. The first matching row counts; types are in lower case. */
  readonly kinds: readonly KindRule[]
  /** Returns the type of the elements of an array type; absent where columns have no arrays. */
  readonly findElementType?: (type: string) => string | undefined
  /** Whether a column can store values of other types than its own, and its type can be any word: what it stores decides on its kind. */
  readonly storesAnyType: boolean
  /** The largest number of digits with which every number of a type without fractions is a 64-bit integer. */
  readonly integerDigits: number
  /** The kinds of key columns, in addition to those of every database. */
  readonly keyKinds: readonly string[]
  /** The codec of keys that are numbers and texts, whose kind is `databaseText`; absent where no column has both. */
  readonly mixedKeys?: Codec
  /** The types that key columns can have, for messages. */
  readonly keyTypes: string
  /** The kinds of which an id has a text for each value, also for those that no attribute can have. */
  readonly exactKeyKinds: readonly string[]
  /** Whether a trigger can change a new row before it is stored. */
  readonly triggersChangeNewRows: boolean
  /** Whether rows of a table can be inserted by one statement: nothing of the database sees each of them. */
  readonly isPlain: (table: StoredTable) => boolean
  /** Writes the trigger that increments a version. The names of the columns, and that of the table, are quoted. */
  readonly writeVersionTrigger: (names: TriggerNames) => string
}

/** The part of a generated `main.ts` that depends on the database. */
interface MainParts {
  /** The imported function that opens the database, and its module. */
  readonly open: string
  readonly module: string
  /** The environment variable with the address of the database. */
  readonly variable: string
  /** The default of the variable; absent when it must be set, because the address may contain a password. */
  readonly default?: string
}

/** The names in the SQL of a trigger, quoted. */
interface TriggerNames {
  readonly trigger: string
  readonly table: string
  readonly column: string
  /** The columns of the primary key; empty for none. */
  readonly keys: readonly string[]
}

import type { Catalog } from '../../model/catalog.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import type { ReadShape } from '../../plan/read.ts'
import { createStatementsByRules } from '../../sql/access/restrict.ts'
import { mayRepeatIds } from '../../sql/read/repeated-ids.ts'
import { serveModel } from '../../sql/served-model.ts'
import { StatementCache } from '../../sql/statement-cache.ts'
import type { Transaction } from '../../sql/store.ts'
import type { Target } from '../../sql/tables.ts'
import { openTransaction } from '../../sql/transaction.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { createWriteConnection } from '../connection/write-connection.ts'
import { createSqliteStatements, type SqliteStatementsOf } from '../statements.ts'
import { loadSqliteFacts, type SqliteFacts } from './facts.ts'

/** The tables of a store as they were when their facts were loaded, and the statements for them. */
interface SqliteTables {
  readonly facts: SqliteFacts
  readonly target: Target
  readonly statementsOf: SqliteStatementsOf
  /** The operations of a transaction of the connection that writes. */
  readonly transaction: Transaction
  /** Whether the ids of the resources in a document may repeat. */
  readonly mayRepeatIds: (shape: ReadShape) => boolean
}

/** What the tables of a store need besides their facts. */
interface TablesContext {
  /** What statements are compiled for, with the declared model. */
  readonly declared: Omit<Target, 'facts'>
  readonly writer: SqliteConnection
  /** The connection that reads the schema. */
  readonly schema: SqliteConnection
  readonly readCatalog: () => Catalog
  /** The memory of the compiled statements, in bytes. */
  readonly cacheSize: number
}

/** Loads the facts of the tables, and creates the statements for them. */
function loadTables({
  declared,
  writer,
  schema,
  readCatalog,
  cacheSize,
}: TablesContext): SqliteTables {
  const facts = loadSqliteFacts(declared.model, readCatalog(), schema)
  const target: Target = { ...declared, model: serveModel(declared.model, facts), facts }
  const cache = new StatementCache(cacheSize)
  const statementsOf = createStatementsByRules(
    createSqliteStatements(target, cache),
    (restricted) => createSqliteStatements(restricted, cache),
  )
  return {
    facts,
    target,
    statementsOf,
    transaction: openTransaction(statementsOf, (statements) =>
      createWriteConnection(writer, statements),
    ),
    mayRepeatIds: memoizeByIdentity((shape) => mayRepeatIds(shape, target)),
  }
}

/** Keeps the tables of a store from the first request for which all of them exist; until then, as long as the schema does not change. */
export class OpenSqliteTables {
  readonly #context: TablesContext
  #open: SqliteTables | undefined

  constructor(context: TablesContext) {
    this.#context = context
  }

  get current(): SqliteTables {
    const open = this.#open
    const isValid = open?.facts.areComplete || open?.facts.catalog === this.#context.readCatalog()
    return open && isValid ? open : this.load()
  }

  /** Loads the facts again. */
  load(): SqliteTables {
    this.#open = loadTables(this.#context)
    return this.#open
  }

  /** Forgets the facts after a migration. */
  forget(): void {
    this.#open = undefined
  }
}

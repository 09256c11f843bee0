import { LRUCache } from 'lru-cache'
import { createStatementsByRules } from '../../sql/access/restrict.ts'
import { serveModel } from '../../sql/served-model.ts'
import { StatementCache } from '../../sql/statement-cache.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { SessionSetup } from '../connection/session-setup.ts'
import { createPostgresStatements, type PostgresStatementsOf } from '../statements.ts'
import { loadPostgresFacts, type PostgresFacts } from './facts.ts'
import { loadRoleFacts, type RoleFacts } from './role-facts.ts'

/** The tables of a store as a role sees them, when their facts were loaded, and the statements for them. */
export interface PostgresTables {
  readonly facts: PostgresFacts
  readonly target: Target
  readonly statementsOf: PostgresStatementsOf
}

/** What loads and creates tables. */
interface TablesContext {
  /** What statements are compiled for, with the declared model. */
  readonly declared: Omit<Target, 'facts'>
  /** That of the primary. */
  readonly connection: PostgresConnection
  /** The memory of the compiled statements, in bytes. */
  readonly statementCache: number | undefined
}

/** The most roles whose tables are held in memory. */
const maxRoles = 1000

/** The tables of a store for each role of its requests, from one load of their facts. */
class TablesByRole {
  readonly facts: PostgresFacts
  /** What is compiled for no role in particular: no row is hidden. */
  readonly target: Target
  readonly #context: TablesContext
  readonly #cache: StatementCache
  /** Those of the role of the connection, which most models use. */
  #own: PostgresTables | undefined
  readonly #ofRoles = new LRUCache<string, PostgresTables>({ max: maxRoles })
  readonly #loading = new Map<string | undefined, Promise<PostgresTables>>()
  /** The tables by the key of their role. */
  readonly #byKey = new LRUCache<string, PostgresTables>({ max: maxRoles })

  constructor(context: TablesContext, facts: PostgresFacts) {
    const { declared, statementCache } = context
    this.facts = facts
    this.target = { ...declared, model: serveModel(declared.model, facts), facts }
    this.#context = context
    this.#cache = new StatementCache(statementCache)
  }

  find(role: string | undefined): PostgresTables | undefined {
    return role === undefined ? this.#own : this.#ofRoles.get(role)
  }

  /** Loads the tables of a role; once for all that wait for them. */
  load(role: string | undefined): Promise<PostgresTables> {
    const pending = this.#loading.get(role)
    if (pending) return pending
    const loading = this.#load(role).finally(() => this.#loading.delete(role))
    this.#loading.set(role, loading)
    return loading
  }

  async #load(role: string | undefined): Promise<PostgresTables> {
    const { declared, connection } = this.#context
    const found = await loadRoleFacts(declared, role, connection)
    const tables = this.#byKey.get(found.key) ?? this.#create(found)
    this.#byKey.set(found.key, tables)
    if (role === undefined) this.#own = tables
    else this.#ofRoles.set(role, tables)
    return tables
  }

  #create({ mayHide, mayLock }: RoleFacts): PostgresTables {
    const facts = { ...this.facts, mayHide, mayLock }
    const create = (target: Target) => createPostgresStatements(target, this.#cache)
    const target = { ...this.target, facts }
    return { facts, target, statementsOf: createStatementsByRules(create(target), create) }
  }
}

/**
 * Keeps the tables of a store from the first request for which all of them exist. Policies and privileges that change later need a
 * restart.
 */
export class OpenPostgresTables {
  readonly #context: TablesContext
  #open: TablesByRole | undefined
  #loading: Promise<TablesByRole> | undefined

  constructor(context: TablesContext) {
    this.#context = context
  }

  /** Finds the tables of a request; `undefined` if they are not loaded. @param setup - that of its session */
  find(setup: SessionSetup | undefined): PostgresTables | undefined {
    return this.#open?.find(setup?.role)
  }

  /** Loads the tables of a request, unless they are loaded. */
  async get(setup: SessionSetup | undefined): Promise<PostgresTables> {
    const open = this.#open ?? (await this.load())
    return open.find(setup?.role) ?? open.load(setup?.role)
  }

  /** Loads the facts again; once for all that wait for them. */
  load(): Promise<TablesByRole> {
    const { declared, connection } = this.#context
    this.#loading ??= loadPostgresFacts(declared.model, connection, declared.dialect)
      .then((facts) => {
        const tables = new TablesByRole(this.#context, facts)
        this.#open = facts.areComplete ? tables : undefined
        return tables
      })
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }

  /** Forgets the facts after a migration, and at the end. */
  forget(): void {
    this.#open = undefined
  }
}

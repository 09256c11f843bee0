import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { NotFoundError, refuse } from '../../errors/errors.ts'
import type { Catalog } from '../../model/check-tables.ts'
import { type Model, typeNamed } from '../../model/model.ts'
import type { WritePlan, WriteShape } from '../../plan/body.ts'
import { absent } from '../../plan/linkage.ts'
import type { Absence, ReadPlan, ReadShape } from '../../plan/read.ts'
import type { Batch, Rows } from '../../plan/result.ts'
import type { Row } from '../../plan/rows.ts'
import { perShape } from '../../plan/shape.ts'
import { followSteps } from '../include.ts'
import { type CompiledRead, compilePresent, compileRead } from '../read.ts'
import type { RunValues } from '../statement.ts'
import type { Migration, Store, WriteAnswer } from '../store.ts'
import { compileDelete, compileLookup, compileWrite } from '../write.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { patiently, withoutBody } from './sqlite-errors.ts'
import { migrateSqlite, sqliteCatalog } from './sqlite-schema.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'

/** A list of more resources than this is streamed when all of it is asked for. */
const wholeAtMost = 500
/** How many rows a stream reads before others have their turn. */
const batchSize = 200

/**
 * Opens a SQLite database as a store.
 *
 * @param path - a file, made with its folder when it is not there, or `:memory:`
 * @throws Error when the file cannot be opened
 */
export function openSqlite(model: Model, path: string): Store {
  return new SqliteStore(model, path)
}

/**
 * One connection writes, another reads the last committed state (WAL), and each stream has one of its own.
 * A database in memory has a single connection, so nothing of it can be streamed while others write.
 */
class SqliteStore implements Store {
  readonly description: string
  readonly #model: Model
  readonly #path: string
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection
  readonly #streams = new Set<SqliteConnection>()
  readonly #compiledRead: (shape: ReadShape) => CompiledRead
  readonly #compiledWrite
  readonly #compiledTypes

  constructor(model: Model, path: string) {
    const isMemory = path === ':memory:'
    if (!isMemory) mkdirSync(dirname(path), { recursive: true })
    this.description = isMemory ? 'SQLite in memory' : `SQLite at ${path}`
    this.#model = model
    this.#path = path
    this.#writer = new SqliteConnection(path, 'writer')
    this.#reader = isMemory ? this.#writer : new SqliteConnection(path, 'reader')
    this.#compiledRead = perShape((shape: ReadShape) => compileRead(shape, model, dialect))
    this.#compiledWrite = perShape((shape: WriteShape) => compileWrite(shape, model, dialect))
    this.#compiledTypes = new Map(
      [...model.types.values()].map((resource) => [
        resource.type,
        {
          present: compilePresent(resource, dialect),
          lookup: compileLookup(resource.type, model, dialect),
          remove: compileDelete(resource.type, model, dialect),
        },
      ]),
    )
  }

  async read(plan: ReadPlan, id?: string): Promise<Rows> {
    const { shape } = plan
    const compiled = this.#compiledRead(shape)
    const values = valuesOf(plan, id)
    const reader = this.#reader
    if (isList(shape) && !shape.isPaged && reader !== this.#writer) {
      if (count(reader, compiled, values) > wholeAtMost) return this.#stream(compiled, plan, values)
    }
    // One statement is a snapshot by itself.
    if (shape.scope.is === 'one' && shape.steps.length === 0)
      return this.#whole(reader, compiled, plan, values)
    return reader.transaction('deferred', () => this.#whole(reader, compiled, plan, values))
  }

  write<Told>(plan: WritePlan, { plan: answer, tell }: WriteAnswer<Told>): Promise<Told> {
    const read = this.#compiledRead(answer.shape)
    return this.#transaction(() => {
      const id = this.#carryOut(plan)
      return tell(this.#whole(this.#writer, read, answer, valuesOf(answer, id)), id)
    })
  }

  async relate(plan: WritePlan): Promise<void> {
    await this.#transaction(() => this.#carryOut(plan))
  }

  async remove({ shape, id = '', needs }: WritePlan): Promise<void> {
    const { remove } = this.#statements(shape.type)
    const work = () => withoutBody(() => this.#writer.run(remove, { slots: [], id }))
    const removed = await this.#transaction(work)
    if (removed === 0) throw notFound(needs?.absence ?? { type: shape.type, parameter: 'id' }, id)
  }

  async catalog(): Promise<Catalog> {
    return sqliteCatalog(this.#writer)
  }

  async migrate(migrations: readonly Migration[]): Promise<void> {
    await patiently(() => migrateSqlite(this.#writer, migrations))
  }

  async close(): Promise<void> {
    for (const connection of [...this.#streams, this.#reader, this.#writer]) connection.close()
  }

  #transaction<Result>(work: () => Result): Promise<Result> {
    return patiently(() => this.#writer.transaction('immediate', work))
  }

  /** The write itself, in a transaction that is begun. @returns the id of what was written */
  #carryOut(plan: WritePlan): string {
    const writer = this.#writer
    const compiled = this.#compiledWrite(plan.shape)
    if (plan.needs) this.#check(writer, plan.needs.absence, plan.needs.id)
    refuse([...plan.faults, ...this.#missing(plan)])
    const slots = plan.columnValues
    const id = plan.id ?? String(writer.value(compiled.insert, { slots }))
    if (plan.id !== undefined && compiled.update) writer.run(compiled.update, { slots, id })
    compiled.links.forEach((statements, index) => {
      const ids = plan.linkIds[index] ?? []
      for (const statement of statements) writer.run(statement, { slots: [], id, ids })
    })
    return id
  }

  #whole(
    connection: SqliteConnection,
    compiled: CompiledRead,
    plan: ReadPlan,
    values: RunValues,
  ): Rows {
    const { shape, absence } = plan
    const primary = connection.all(compiled.rows, values)
    const total = shape.isPaged ? count(connection, compiled, values) : primary.length
    if (total === 0 && shape.scope.is === 'one') throw notFound(absence, values.id)
    if (total === 0 && shape.scope.is === 'related') this.#check(connection, absence, values.id)
    const included = followSteps(shape, primary, (type, ids) => {
      const byIds = compiled.byIds.get(type)
      if (byIds === undefined) throw new Error(`The plan includes no ${type}.`)
      return connection.all(byIds, { slots: [], ids })
    })
    return { is: 'whole', count: total, primary, included }
  }

  #stream(compiled: CompiledRead, plan: ReadPlan, values: RunValues): Rows {
    const connection = new SqliteConnection(this.#path, 'reader')
    this.#streams.add(connection)
    const end = () => {
      this.#streams.delete(connection)
      connection.close()
    }
    try {
      connection.execute('begin')
      for (const statement of [compiled.rows, ...compiled.additions]) connection.check(statement)
      const total = count(connection, compiled, values)
      const { steps } = plan.shape
      async function* primary(): AsyncGenerator<readonly Row[]> {
        for (const rows of connection.batches(compiled.rows, values, batchSize)) {
          yield rows
          await setImmediate()
        }
      }
      async function* included(): AsyncGenerator<Batch> {
        for (const [index, step] of steps.entries()) {
          const addition = compiled.additions[index]
          if (addition === undefined) continue
          for (const rows of connection.batches(addition, values, batchSize)) {
            yield { type: step.to, rows }
            await setImmediate()
          }
        }
      }
      return { is: 'stream', count: total, primary: primary(), included: included(), end }
    } catch (error) {
      end()
      throw error
    }
  }

  #check(connection: SqliteConnection, absence: Absence, id: string | undefined): void {
    const found = connection.value(this.#statements(absence.type).present, { slots: [], id })
    if (found === undefined) throw notFound(absence, id)
  }

  /** The related resources that a document names and that are not there: one statement for each type. */
  #missing({ lookups }: WritePlan) {
    const types = [...new Set(lookups.map(({ type }) => type))]
    return types.flatMap((type) => {
      const ours = lookups.filter((lookup) => lookup.type === type)
      const ids = [...new Set(ours.map(({ id }) => id))]
      const rows = this.#writer.all(this.#statements(type).lookup, { slots: [], ids })
      const found = new Set(rows.map(([id]) => id))
      return ours.filter(({ id }) => !found.has(id)).map(absent)
    })
  }

  #statements(type: string) {
    const found = this.#compiledTypes.get(typeNamed(this.#model, type).type)
    if (found === undefined) throw new Error(`No statements are compiled for ${type}.`)
    return found
  }
}

function notFound({ type, parameter }: Absence, id = ''): NotFoundError {
  return new NotFoundError(type, id, parameter)
}

/** Whether any number of rows may be meant, so that they are counted. */
function isList(shape: ReadShape): boolean {
  return shape.order.length > 0
}

function count(connection: SqliteConnection, compiled: CompiledRead, values: RunValues): number {
  return Number(connection.value(compiled.count, values))
}

function valuesOf({ values, page }: ReadPlan, id: string | undefined): RunValues {
  if (page === undefined) return { slots: values, id }
  // Beyond 2^62 there are no rows in any database; the product of two numbers below 2^53 may be.
  const offset = BigInt(page.number - 1) * BigInt(page.size)
  const last = 2n ** 62n
  return { slots: values, id, limit: page.size, offset: offset < last ? offset : last }
}

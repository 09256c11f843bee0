import type { Catalog } from '../model/check-tables.ts'
import type { WritePlan } from '../plan/body.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Rows } from '../plan/result.ts'

/** A version of a schema: SQL to run once. Those that are due run in the order of their versions, all or none. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** What is answered to a write: a read of what was written, told before the write is final. */
export interface WriteAnswer<Told> {
  readonly plan: ReadPlan
  /** Runs in the transaction: when it throws, nothing has been written. */
  readonly tell: (rows: Rows, id: string) => Told
}

/** Where resources are kept. All reads of one call see one snapshot; every write that returned is durable. */
export interface Store {
  /** What a person calls it, e.g. `SQLite at data/lapidary.db`. */
  readonly description: string
  /**
   * Reads what a plan asks for.
   * @param id - the id in the path, where it has one
   * @throws NotFoundError when the resource in the path is not there
   */
  read(plan: ReadPlan, id?: string): Promise<Rows>
  /**
   * Carries out a write and what is answered to it, all of it or nothing.
   * @returns what the answer tells
   * @throws NotFoundError for the path's resource; ApiError | ManyErrors for the plan's faults and missing related resources
   */
  write<Told>(plan: WritePlan, answer: WriteAnswer<Told>): Promise<Told>
  /** Carries out a write to a relationship's own URL, to which nothing of it is answered; throws as `write` does. */
  relate(plan: WritePlan): Promise<void>
  /** Deletes the resource of the plan. @throws NotFoundError when it is not there */
  remove(plan: WritePlan): Promise<void>
  /** The tables and columns that are there. */
  catalog(): Promise<Catalog>
  /** Brings the schema up to date. */
  migrate(migrations: readonly Migration[]): Promise<void>
  /** Ends every connection; running reads are given up. */
  close(): Promise<void>
}

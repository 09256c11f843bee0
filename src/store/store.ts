import type { Catalog } from '../model/check-tables.ts'
import type { WritePlan } from '../plan/body.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Rows } from '../plan/result.ts'

/** A version of a schema: SQL to run once. Those that are due run in the order of their versions, all or none. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** What a write gives back. */
export interface Written {
  readonly id: string
  readonly rows: Rows
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
   * Carries out a write, all of it or nothing.
   * @param answer - what to read of the written resource, in the same transaction
   * @returns the id of what was written, and the rows of the answer
   * @throws NotFoundError for the path's resource; ApiError | ManyErrors for the plan's faults and missing related resources
   */
  write(plan: WritePlan, answer: ReadPlan): Promise<Written>
  write(plan: WritePlan): Promise<Omit<Written, 'rows'>>
  /** Deletes the resource of the plan. @throws NotFoundError when it is not there */
  remove(plan: WritePlan): Promise<void>
  /** The tables and columns that are there. */
  catalog(): Promise<Catalog>
  /** Brings the schema up to date. */
  migrate(migrations: readonly Migration[]): Promise<void>
  /** Ends every connection; running reads are given up. */
  close(): Promise<void>
}

// Writes that are tried before they are done. The typed client bundles this file, so it imports nothing of the server.

/**
 * How a write is restricted.
 * @typeParam Dry - whether it is a dry run
 */
export interface WriteRestrictions<Dry extends boolean = boolean> {
  /** Executes the write completely, also its hooks and constraints, rolls it back, and returns what it would have done. Default false. */
  readonly dryRun?: Dry | undefined
  /** How many rows the write may affect. If it affects more, the call throws `too_many_affected` (422), and nothing is written. */
  readonly maxAffected?: number | undefined
}

/** How many rows of a type a write creates, updates and deletes; absent for none. */
export interface AffectedRows {
  readonly created?: number
  readonly updated?: number
  readonly deleted?: number
}

/** How many members a relationship gains and loses. */
export interface AffectedMembers {
  readonly added: number
  readonly removed: number
}

/** What a write would have done. */
export interface DryRun<Result> {
  readonly dryRun: true
  /** The rows by type, also those that the database deletes or changes by foreign keys. Empty for an action, whose rows are not counted. */
  readonly affected: Readonly<Record<string, AffectedRows>>
  /** The changed members by type and relationship. */
  readonly members: Readonly<Record<string, Readonly<Record<string, AffectedMembers>>>>
  /** What the call would have returned. A new resource has no id, which would be another one. */
  readonly result: Result
}

/** What a write returns: in a dry run, what it would have done. */
export type WriteResult<Dry extends boolean, Result, Tried = Result> = Dry extends true
  ? DryRun<Tried>
  : Result

/** Formats the preferences of a write that is restricted; a value of another type is one that the server rejects. */
export function formatRestrictions({
  dryRun = false,
  maxAffected,
}: Readonly<{ dryRun?: unknown; maxAffected?: unknown }>): string {
  const dry = dryRun === true ? 'dry-run' : `dry-run="${dryRun}"`
  return [
    ...(dryRun === false ? [] : [dry]),
    ...(maxAffected === undefined ? [] : [`max-affected=${maxAffected}`]),
  ].join(', ')
}

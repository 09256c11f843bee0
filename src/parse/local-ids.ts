import type { ErrorCollector } from '../errors/collector.ts'

/** The id of a resource that an operation of the same request inserts: it is known once that operation has run. */
export class InsertedId {
  /** The index of the operation. */
  readonly operation: number
  constructor(operation: number) {
    this.operation = operation
  }
}

/** A local id where an id may be. */
interface LocalIdUse {
  readonly type: string
  /** As sent. */
  readonly lid: unknown
  /** The position of the object that has it. */
  readonly pointer: string
}

/** The id of a resource with a local id. Before its insert a text stands for it, which differs from that of every other one. */
interface FoundId {
  readonly id: string
  readonly inserted?: InsertedId
}

/**
 * Finds the id of a resource by its local id.
 * @returns `undefined` after an error, which it has reported
 * @see https://jsonapi.org/format/1.1/#document-resource-object-identification
 */
export type FindLocalId = (use: LocalIdUse, errors: ErrorCollector) => FoundId | undefined

/** The longest local id, in characters. */
export const maxLocalIdLength = 64

import { report } from '../errors/collector.ts'
import { BodyError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { isObject } from '../model/kinds/json.ts'
import { type FindLocalId, InsertedId } from '../parse/local-ids.ts'
import { parseLocalId, pointToOperation } from '../parse/operations.ts'

/** A resource that an operation creates, with its local id. */
interface Introduction {
  readonly index: number
  readonly type: string
  readonly lid: string
}

/** The ids of the resources that operations have created, by the index of the operation. */
export type InsertedIds = ReadonlyMap<number, string>

/** How an operation looks up local ids. */
export interface LookUp {
  /** The index of the operation that uses them. */
  readonly at: number
  /** The ids that are known; `undefined` for none. */
  readonly known: InsertedIds | undefined
  /** Whether the operation may name the resource that it creates itself. */
  readonly mayNameOwn: boolean
  /** The index of the last operation that introduces one which was found; −1 before. */
  named: number
}

/**
 * The local ids of a batch: a type and a `lid` stand for the resource that an operation creates.
 * @see https://jsonapi.org/ext/atomic/#operation-objects
 */
export class LocalIdTable {
  readonly #introduced = new Map<string, Introduction>()

  /**
   * Adds the local id of a resource that an operation creates.
   * @returns an error if it is there already
   */
  add(introduction: Introduction): BodyError | undefined {
    const { type, lid } = introduction
    const key = toKey(type, lid)
    const first = this.#introduced.get(key)
    if (first === undefined) this.#introduced.set(key, introduction)
    else {
      const detail = `The local id ${quote(lid)} of type ${type} is introduced by ${pointToOperation(first.index)} already; give this resource another one.`
      return new BodyError('repeated_lid', '/data/lid', detail)
    }
    return undefined
  }

  /** Returns the function that an operation looks up local ids with. */
  createFinder(lookUp: LookUp): FindLocalId {
    return ({ type, lid, pointer }, errors) => {
      const { at, known, mayNameOwn } = lookUp
      const location = `${pointer}/lid`
      if (typeof lid !== 'string') return report(errors, () => createInvalid(lid, location))
      const found = this.#introduced.get(toKey(type, lid))
      const isKnown = found && (found.index < at || (mayNameOwn && found.index === at))
      if (!isKnown)
        return report(errors, () => this.#createUnknown({ type, lid, at }, found, location))
      lookUp.named = Math.max(lookUp.named, found.index)
      const id = known?.get(found.index)
      if (id !== undefined) return { id }
      return {
        id: pointToOperation(found.index),
        inserted: new InsertedId(found.index),
      }
    }
  }

  #createUnknown(
    { type, lid, at }: Readonly<{ type: string; lid: string; at: number }>,
    found: Introduction | undefined,
    location: string,
  ): BodyError {
    const subject = `The local id ${quote(lid)} of type ${quote(type)}`
    if (found && found.index > at) {
      const detail = `${subject} is introduced by ${pointToOperation(found.index)}, which comes later; move that operation before this one.`
      return new BodyError('unknown_lid', location, detail)
    }
    const other = [...this.#introduced.values()].find((each) => each.lid === lid)
    const remedy =
      found || other?.type === type
        ? 'is that of the resource which this operation creates, and only its relationships may name it'
        : other
          ? `does not exist; ${pointToOperation(other.index)} introduces it with the type ${quote(other.type)}`
          : 'does not exist; an operation with op "add" introduces it, as the lid of its data'
    return new BodyError('unknown_lid', location, `${subject} ${remedy}.`)
  }
}

function toKey(type: string, lid: string): string {
  return JSON.stringify([type, lid])
}

function createInvalid(lid: unknown, location: string): BodyError {
  try {
    parseLocalId(lid, location)
  } catch (error) {
    if (error instanceof BodyError) return error
  }
  throw new Error('A local id that is no text is not valid.')
}

/** The relationships of a new resource in which it names itself by its local id, and the rest of its data. */
interface SplitData {
  readonly data: Readonly<Record<string, unknown>>
  /** Absent if it does not name itself. */
  readonly own?: Readonly<Record<string, unknown>>
}

/** Splits the data of a new resource: it cannot reference its own row before that is inserted. */
export function splitOwnReferences(
  data: Readonly<Record<string, unknown>>,
  { type, lid }: Readonly<{ type: string; lid: string }>,
): SplitData {
  const { relationships } = data
  if (!isObject(relationships)) return { data }
  const isOwn = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(isOwn)
      : isObject(value) && value.id === undefined && value.type === type && value.lid === lid
  const entries = Object.entries(relationships)
  const own = entries.filter(([, value]) => isObject(value) && isOwn(value.data))
  if (own.length === 0) return { data }
  const others = entries.filter((entry) => !own.includes(entry))
  return {
    data: { ...data, relationships: Object.fromEntries(others) },
    own: Object.fromEntries(own),
  }
}

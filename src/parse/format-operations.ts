import { formatIfMatch } from '../model/declare/if-match.ts'
import { isObject } from '../model/kinds/json.ts'
import {
  type FieldInput,
  formatMembers,
  formatResource,
  type InputType,
  parseChange,
} from './format-document.ts'

/** A resource type, as far as operations depend on it. */
export interface BatchType extends InputType {
  /** The path of the collection below the address of the API, without a slash at its beginning. */
  readonly path: string
}

/** An operation as a request has it. */
type Operation = Readonly<Record<string, unknown>>

/** An operation of a batch: a handle of its result. That of a create also stands for the new resource. */
interface RecordedOperation {
  readonly type: string
  readonly format: (type: BatchType) => Operation
}

/** What a batch of a program does. */
interface RecordedBatch {
  readonly operations: readonly RecordedOperation[]
  /** Returns the results of what the function of the batch has returned. @param results - those of the operations, in their order */
  readonly pick: (results: readonly unknown[]) => unknown
}

/** What an operation depends on. */
interface Conditional {
  readonly ifMatch?: unknown
}

/**
 * Calls the function of a batch, and records what it adds.
 * @throws TypeError for arguments that no operation has; what the function throws
 */
export function recordBatch(work: unknown): RecordedBatch {
  if (typeof work !== 'function') throw new TypeError('atomic.work: must be a function.')
  const operations: RecordedOperation[] = []
  const handles = new Map<unknown, number>()
  let isOpen = true
  const add = (type: string, format: RecordedOperation['format'], lid?: string): object => {
    if (!isOpen) throw new Error('The function of the batch has ended: add no more operations.')
    const handle = Object.freeze(lid === undefined ? { type } : { type, lid })
    handles.set(handle, operations.length)
    operations.push({ type, format })
    return handle
  }
  const returned: unknown = work(createBatch(add, () => String(operations.length)))
  isOpen = false
  if (isObject(returned) && typeof returned.then === 'function')
    throw new TypeError('atomic.work: must not be asynchronous; it only adds operations.')
  const pick = (value: unknown, results: readonly unknown[]): unknown => {
    const index = handles.get(value)
    if (index !== undefined) return results[index]
    if (Array.isArray(value)) return value.map((each) => pick(each, results))
    if (!isObject(value)) return undefined
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, pick(each, results)]),
    )
  }
  return { operations, pick: (results) => pick(returned, results) }
}

type AddOperation = (type: string, format: RecordedOperation['format'], lid?: string) => object

/** @param nextLid - returns a local id that no other operation of the batch has */
function createBatch(add: AddOperation, nextLid: () => string): object {
  return {
    create: (type: string, fields: FieldInput) => {
      const lid = nextLid()
      const format = (of: InputType) => {
        const { data } = formatResource(of, fields)
        return { op: 'add', data: { ...data, lid } }
      }
      return add(type, format, lid)
    },
    update: (type: string, id: unknown, fields: FieldInput, options?: Conditional) => {
      const ref = formatReference(type, id)
      return add(type, (of) => {
        const { data } = formatResource(of, fields)
        return {
          op: 'update',
          ref,
          ...formatMeta(options),
          data: { ...data, ...nameTarget(data, ref) },
        }
      })
    },
    remove: (type: string, id: unknown, options?: Conditional) => {
      const ref = formatReference(type, id)
      return add(type, () => ({ op: 'remove', ref, ...formatMeta(options) }))
    },
    relate: (
      type: string,
      id: unknown,
      relationship: string,
      change: FieldInput,
      options?: Conditional,
    ) => {
      const ref = { ...formatReference(type, id), relationship }
      const [kind, members] = parseChange(change)
      return add(type, ({ relatedType }) => {
        const to = relatedType(relationship) ?? relationship
        const { data, meta: part } = formatMembers(kind, members, to)
        return { op: operators[kind], ref, ...formatMeta(options, part), data }
      })
    },
    call: (type: string, action: string, input: UntypedInput = {}) => {
      const { id, parameters = {}, ...options } = input
      return add(type, ({ path }) => {
        const segments = [path, ...(id === undefined ? [] : [id]), 'actions', action]
        const href = segments.map((each, at) => (at === 0 ? each : encodeURIComponent(each)))
        const data = { meta: parameters }
        return { op: 'update', href: href.join('/'), ...formatMeta(options), data }
      })
    },
  }
}

/** What a call of an action sends. */
interface UntypedInput extends Conditional {
  readonly id?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

const operators = { add: 'add', remove: 'remove', replace: 'update' } as const

/** @throws TypeError for what is no id, and for what stands for a resource of another type */
function formatReference(type: string, target: unknown): Readonly<Record<string, string>> {
  if (typeof target === 'string') return { type, id: target }
  const { type: found = undefined, lid = undefined } = isObject(target) ? target : {}
  if (found === type && typeof lid === 'string') return { type, lid }
  throw new TypeError(
    `atomic.id: must be an id, or a resource of the type ${type} that the batch creates.`,
  )
}

/** The id or the local id in the data of an update; that of its fields, if they have one. */
function nameTarget(data: Operation, { id, lid }: Readonly<Record<string, string>>): Operation {
  if (data.id !== undefined) return {}
  return lid === undefined ? { id } : { lid }
}

function formatMeta({ ifMatch }: Conditional = {}, part: object = {}): Operation {
  const formatted = formatIfMatch(ifMatch)
  const version = formatted === '*' ? '*' : formatted?.slice(1, -1)
  const meta = { ...part, ...(version !== undefined && { ifMatch: version }) }
  return Object.keys(meta).length === 0 ? {} : { meta }
}

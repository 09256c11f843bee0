import { actionMessage } from '../model/declare/action.ts'
import type { DryRun } from '../model/declare/restricted-writes.ts'
import type { ResponseDocument, WriteCallOptions } from './transport.ts'

/** The members of `meta` in the document of a dry run. */
interface DryRunMeta extends Partial<Pick<DryRun<unknown>, 'dryRun' | 'affected' | 'members'>> {
  readonly wouldCreate?: unknown
}

/**
 * Reads the response to a write.
 * @param read - returns the result of the write
 * @throws Error if a dry run was none, because something in between removed the header field
 */
export function readWrite(
  document: ResponseDocument,
  options: Pick<WriteCallOptions<boolean>, 'dryRun'> | undefined,
  read: (document: ResponseDocument) => unknown,
): unknown {
  if (!options?.dryRun) return read(document)
  const { meta = {}, ...rest } = document as { readonly meta?: DryRunMeta }
  const { dryRun, affected = {}, members = {}, wouldCreate, ...others } = meta
  if (!dryRun) throw new Error('This was no dry run: the server has executed the write.')
  const result =
    wouldCreate === undefined ? read({ ...rest, meta: others }) : readNew(wouldCreate, read)
  return { dryRun, affected, members, result }
}

/** Reads a resource that a dry run would create: it has no id. */
export function readNew(data: unknown, read: (document: ResponseDocument) => unknown): unknown {
  const resource = read({ data })
  Reflect.deleteProperty(Object(resource), 'id')
  return resource
}

/** Returns the members of `meta` that an action returns: one that returns nothing has a message for people. */
export function omitMessage(meta: unknown): unknown {
  const isMessage =
    typeof meta === 'object' && meta !== null && Reflect.get(meta, 'message') === actionMessage
  return isMessage ? undefined : meta
}

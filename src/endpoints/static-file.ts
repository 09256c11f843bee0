import type { Awaitable } from '../model/declare/hooks.ts'

/** A text that is the same for every request, such as a script. It is sent compressed, and not again to a client that has it. */
export interface StaticFile {
  /** Its header fields, such as `content-type` and `cache-control`. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the text; called when it is first requested. */
  readonly read: () => Awaitable<string>
}

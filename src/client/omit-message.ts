import { actionMessage } from '../model/declare/action.ts'

/** Returns the members of `meta` that an action returns: one that returns nothing has a message for people. */
export function omitMessage(meta: unknown): unknown {
  const isMessage =
    typeof meta === 'object' && meta !== null && Reflect.get(meta, 'message') === actionMessage
  return isMessage ? undefined : meta
}

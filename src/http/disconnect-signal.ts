import type { ServerResponse } from 'node:http'

/** Returns a signal that aborts when the connection closes before the response is sent. */
export function createDisconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    if (!response.writableEnded) controller.abort()
  }
  if (response.destroyed) abort()
  else response.once('close', abort)
  return controller.signal
}

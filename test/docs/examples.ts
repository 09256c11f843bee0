import assert from 'node:assert/strict'
import { type senders, splitCommand } from './curl.ts'

/** A `curl` command of a page, with the response that the page shows. */
interface Example {
  readonly command: string
  readonly status: number
  readonly answer: string
}

/** Returns every `curl` command of a page that is followed by a response. */
export function examplesIn(page: string): readonly Example[] {
  const all = page.matchAll(
    /```sh\n(curl [^`]*)```\n\nThe answer is `(\d+)`:\n\n```json\n([^`]*)```/g,
  )
  return [...all].map(([, command = '', status, answer = '']) => {
    return { command, status: Number(status), answer }
  })
}

type Sender = ReturnType<typeof senders> extends ReadonlyMap<string, infer Each> ? Each : never

/**
 * Asserts that every response equals the one on the page.
 *
 * @param here - replaces the address on the page by the address of the running service
 */
export async function assertResponses(
  examples: readonly Example[],
  send: Sender,
  here: (text: string) => string,
): Promise<void> {
  for (const { command, status, answer } of examples) {
    const reply = await send(splitCommand(here(command)))
    assert.equal(reply.status, status, `${command}\n${reply.text}`)
    assert.deepEqual(JSON.parse(reply.text), JSON.parse(here(answer)), command)
  }
}

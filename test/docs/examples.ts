import assert from 'node:assert/strict'
import { type senders, wordsOf } from './curl.ts'

/** A command of a page, and what the page says the answer is. */
export interface Example {
  readonly command: string
  readonly status: number
  readonly answer: string
}

/** Every `curl` command of a page that an answer follows. */
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
 * Fails unless every answer is the one that the page tells.
 * @param here - puts the address of the running service in place of the page's
 */
export async function assertTrue(
  examples: readonly Example[],
  send: Sender,
  here: (text: string) => string,
): Promise<void> {
  for (const { command, status, answer } of examples) {
    const reply = await send(wordsOf(here(command)))
    assert.equal(reply.status, status, `${command}\n${reply.text}`)
    assert.deepEqual(JSON.parse(reply.text), JSON.parse(here(answer)), command)
  }
}

import { BodyError } from '../errors/errors.ts'

/**
 * Collects the chunks of a body.
 * @throws BodyError `body_too_large` (413) as soon as they have more than `maxBytes`
 */
export async function collectBody(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw createBodyTooLarge(maxBytes)
    collected.push(chunk)
  }
  return Buffer.concat(collected)
}

/** Creates the error of a body that is larger than `maxBody`. @param maxBytes - the limit */
export function createBodyTooLarge(maxBytes: number): BodyError {
  return new BodyError('body_too_large', '', `A body may have at most ${maxBytes} bytes.`)
}

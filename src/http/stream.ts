/** The chunks of a streamed document. */
interface Chunks extends AsyncIterableIterator<string> {
  /** Ends the stream before its end and releases its database connection. */
  return(): Promise<IteratorResult<string>>
}

/**
 * Reads the first chunk before the head of the response is sent. An error in it is reported as an error document. A
 * generator that has begun releases its database connection however it ends; one that never began would not. A later error
 * can only cut the response off.
 *
 * @param reportLater - called with an error after the first chunk
 */
export async function startStream(
  body: AsyncIterable<string>,
  reportLater: (error: unknown) => void,
): Promise<Chunks> {
  const rest = body[Symbol.asyncIterator]()
  let first: IteratorResult<string> | undefined = await rest.next()
  const readNext = async (): Promise<IteratorResult<string>> => {
    try {
      return await rest.next()
    } catch (error) {
      reportLater(error)
      throw error
    }
  }
  const chunks: Chunks = {
    next: async () => {
      const chunk = first ?? (await readNext())
      first = undefined
      return chunk
    },
    return: async () => {
      await rest.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => chunks,
  }
  return chunks
}

import { mock } from 'node:test'

/**
 * Returns the lines that are logged during a function.
 *
 * @param work - gets a function that returns the lines so far
 */
export async function logOf(work: (logged: () => string) => Promise<unknown>): Promise<string[]> {
  const written: string[] = []
  const write = mock.method(process.stderr, 'write', (chunk: unknown) => {
    written.push(String(chunk))
    return true
  })
  try {
    await work(() => written.join(''))
  } finally {
    write.mock.restore()
  }
  return written
    .join('')
    .split('\n')
    .filter((line) => line !== '')
}

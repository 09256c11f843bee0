import { mock } from 'node:test'

/**
 * Runs something and returns what was logged meanwhile, line by line.
 * @param work - may ask for what has been logged so far
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

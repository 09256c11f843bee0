import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

/**
 * Creates a folder for programs that import `lapidary`. It is inside the package, so that this name resolves. Git ignores it.
 * @param name - the beginning of its name
 */
export async function createPackageFolder(name: string): Promise<string> {
  await mkdir(dist, { recursive: true })
  return mkdtemp(join(dist, `${name}-`))
}

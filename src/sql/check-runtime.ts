/** The first release of Node.js that has everything that the stores use. */
const [firstMajor, firstMinor] = [24, 10]

/**
 * Checks the version of Node.js, so that an older one is reported by name and not by a function that it lacks.
 * @param entry - the entry point, e.g. `lapidary/postgres`
 * @throws Error with the supported versions
 */
export function checkRuntime(entry: string): void {
  const { bun, deno, node } = process.versions
  if (bun !== undefined || deno !== undefined) return
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major < firstMajor || (major === firstMajor && minor < firstMinor))
    throw createRuntimeError(entry)
}

/** Creates the error of an entry point that needs a later version of the runtime. */
export function createRuntimeError(entry: string): Error {
  const first = `Node.js ${firstMajor}.${firstMinor}, Bun 1.4, Deno 2.9`
  return new Error(`${entry} needs ${first}, or a later version; this is ${describeRuntime()}`)
}

function describeRuntime(): string {
  const { bun, deno, node } = process.versions
  if (bun !== undefined) return `Bun ${bun}`
  if (deno !== undefined) return `Deno ${deno}`
  return `Node.js ${node}`
}

/** How many hashes of recent keys a filter holds; a power of two. */
const capacity = 1024

/**
 * Creates an admission filter: a cache stores a value only if its key was missed before and not long ago.
 *
 * Most query strings that contain a value occur once. To store their plans costs more than to plan them: each stays
 * reachable until the cache evicts it, and the garbage collector copies it meanwhile. The filter keeps 4 bytes for a key
 * instead (row `text` of the benchmark, whose query strings are almost all new).
 *
 * It is correct because it only decides what is stored, never what is returned. Two keys with one hash can at worst admit a
 * key at its first miss.
 *
 * @returns whether a missed key is admitted; each call records the key
 */
export function createAdmissionFilter(): (key: string) => boolean {
  const hashes = new Int32Array(capacity)
  return (key) => {
    const hash = hashOf(key)
    // A set of two: keys that alternate do not evict each other.
    const newer = hash & (capacity - 2)
    const older = newer | 1
    const isRepeated = hashes[newer] === hash || hashes[older] === hash
    hashes[older] = hashes[newer] ?? 0
    hashes[newer] = hash
    return isRepeated
  }
}

/** The 32-bit FNV-1a hash of the code units of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

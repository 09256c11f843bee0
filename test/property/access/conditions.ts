import assert from 'node:assert/strict'
import type { Random } from './random.ts'
import type { TestRequest } from './requests.ts'
import type { Send } from './transports.ts'

// Conditions, versions and preferences of requests. A tag is what the identity has read itself, what another one has, or an old one. It
// is the same text for both databases: if it depended on what the identity may not see, one of them would answer otherwise.

/** Who sends requests to the two databases. */
interface Senders {
  readonly random: Random
  readonly sends: readonly [Send, Send]
  /** Another identity, which may see more. */
  readonly others: readonly Send[]
}

/** Adds a condition to some writes, and preferences that depend on rows. */
export async function addCondition(request: TestRequest, senders: Senders): Promise<TestRequest> {
  const { random } = senders
  const prefer = random.chance(0.15) ? random.pick(preferences) : undefined
  const preferring = { ...request, ...(prefer !== undefined && { prefer }) }
  if (random.chance(0.5)) return preferring
  const path = findVersioned(request)
  if (path === undefined) return { ...preferring, ifNoneMatch: '*' }
  const ifMatch = await drawTag(path, senders)
  return { ...preferring, ifMatch }
}

const preferences = [
  'max-affected=1',
  'max-affected=2',
  'return=minimal',
  'dry-run, max-affected=1',
]

/** Returns the path of what a condition of a write is about; `undefined` for a create. */
function findVersioned({ path }: TestRequest): string | undefined {
  const [, type, id, name, relationship] = (path.split('?')[0] ?? '').split('/')
  if (id === undefined || id === 'actions') return undefined
  if (name === 'relationships') return `/${type}/${id}/relationships/${relationship}`
  return name === undefined || name === 'actions' ? `/${type}/${id}` : undefined
}

async function drawTag(path: string, { random, sends, others }: Senders): Promise<string> {
  const read: TestRequest = { method: 'GET', path }
  const [own, same] = await Promise.all(sends.map((send) => send(read)))
  assert.equal(same, own, path)
  const other = await others[0]?.(read)
  const tags = [own, own, own, other].map((each) => findTag(each) ?? '"none"')
  return random.pick([...tags, '*', '"forged"', `${tags[3]}, ${tags[0]}`])
}

/** Adds the versions of resources to the response to some reads. */
export function addVersions(request: TestRequest, random: Random): TestRequest {
  if (request.accept !== undefined || random.chance(0.7)) return request
  const { path } = request
  return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}withVersions=true` }
}

/**
 * Repeats some reads with the tag of their response, or with that of another identity.
 * @param response - that of the first database
 */
export async function repeatRead(
  request: TestRequest,
  response: string,
  { random, sends, others }: Senders,
): Promise<void> {
  if (random.chance(0.6)) return
  const foreign = findTag(await others[0]?.(request))
  const own = findTag(response)
  for (const tag of [own, foreign]) {
    if (tag === undefined) continue
    const repeated = { ...request, ifNoneMatch: tag }
    for (const other of others) await other(repeated)
    const [one = '', another] = await Promise.all(sends.map((send) => send(repeated)))
    assert.equal(another, one, `${JSON.stringify(repeated)}, again`)
    if (tag === own && own !== foreign) assert.match(one, /^304 /, JSON.stringify(repeated))
  }
}

function findTag(response = ''): string | undefined {
  const found = /\["etag",("(?:[^"\\]|\\.)*")\]/.exec(response)?.[1]
  return found === undefined ? undefined : JSON.parse(found)
}

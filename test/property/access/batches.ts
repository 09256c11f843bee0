import type { Random } from './random.ts'
import { randomWrite, type TestRequest } from './requests.ts'
import { type Type, types } from './schema.ts'

/** A write: as a request of its own, and as an operation of a batch. */
export interface Pair {
  readonly request: TestRequest
  readonly operation: object
  /** The operation without local ids of other operations. */
  readonly alone: object
}

/** A resource that an earlier write of a batch has created, with its local id. */
export interface Created {
  readonly type: Type
  readonly id: string
  readonly lid: string
}

/** Draws which fields the responses to a batch have, as a query. @returns empty for all */
export function drawFieldsets(random: Random): string {
  if (random.chance(0.6)) return ''
  const type = random.pick(types)
  // No rule hides these.
  const names = ['name', 'rank', 'place', 'marks'] as const
  return `?${new URLSearchParams({ [`fields[${type}]`]: random.some(names, 0.6).join(',') })}`
}

/** Draws a write; half of those that follow a create concern the new resource. */
export function drawOwnWrite(
  fieldsets: string,
  created: readonly Created[],
  random: Random,
): TestRequest {
  const { path: drawn, ...request } = randomWrite(random)
  const [path = ''] = drawn.split('?')
  const isNamed = created.length > 0 && random.chance(0.5)
  const named = isNamed ? random.pick(created) : undefined
  const parts = path.split('/')
  // The address of an action or of related resources cannot have a local id.
  const mayNameOwn = named?.type === parts[1] && parts.length > 2 && !hasOwnAddress(parts)
  if (named && mayNameOwn) parts[2] = named.id
  const body = named ? JSON.parse(JSON.stringify(request.body ?? null, nameOwn(named))) : undefined
  return {
    ...request,
    ...(body && {
      body: mayNameOwn && body.data?.id ? { data: { ...body.data, id: parts[2] } } : body,
    }),
    path: parts.join('/') + (showsResource(parts, request.method) ? fieldsets : ''),
  }
}

/** Whether a path is that of an action or of related resources. */
function hasOwnAddress([, , id, name, relationship]: readonly string[]): boolean {
  return (
    id === 'actions' || name === 'actions' || (name !== undefined && relationship === undefined)
  )
}

function showsResource(parts: readonly string[], method: string): boolean {
  const [, , , name] = parts
  if (parts.includes('actions')) return !['count', 'check'].includes(parts.at(-1) ?? '')
  return method !== 'DELETE' && name !== 'relationships'
}

/** Names a resource in the linkage of a body. */
function nameOwn({ type, id }: Created) {
  return (key: string, value: unknown) =>
    key !== 'data' || Array.isArray(value) || !isIdentifier(value) || value.type !== type
      ? value
      : { ...value, id }
}

function isIdentifier(value: unknown): value is Readonly<{ type: string; id: string }> {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'type,id'
}

/**
 * Writes a request as an operation, which names what the batch creates by local ids.
 * @param lid - that of the resource that it creates
 */
export function toOperation(
  { method, path, body, ifMatch }: TestRequest,
  lid: string,
  created: readonly Created[],
  random: Random,
): object {
  const [pathname = ''] = path.split('?')
  const [, type = '', id, name, relationship] = pathname.split('/')
  const meta = ifMatch === undefined ? {} : { meta: { ifMatch: ifMatch.replace(/^"(.*)"$/, '$1') } }
  const { data } = JSON.parse(JSON.stringify(body ?? {}), (_, value) =>
    isIdentifier(value) ? toLocal(value, created) : value,
  )
  if (pathname.includes('/actions/')) return { op: 'update', href: pathname, data: body, ...meta }
  if (id === undefined)
    return {
      ...{ op: 'add', ...(random.chance(0.3) && { href: pathname }), ...meta },
      data: { ...data, lid },
    }
  if (name !== undefined && name !== 'relationships')
    return { op: 'add', href: pathname, data: { ...data, lid }, ...meta }
  const identifier = toLocal({ type, id }, created)
  const isLocal = 'lid' in Object(identifier)
  const ref = { ...Object(identifier), ...(relationship !== undefined && { relationship }) }
  const target = !isLocal && random.chance(0.5) ? { href: pathname } : { ref }
  if (relationship !== undefined) {
    const op = { POST: 'add', PATCH: 'update', DELETE: 'remove', GET: '' }[method]
    return { op, ...target, data, ...meta }
  }
  if (method === 'DELETE') return { op: 'remove', ...target, ...meta }
  return { op: 'update', ...(random.chance(0.7) && target), data: toLocal(data, created), ...meta }
}

/** Replaces the id of a resource that the batch creates by its local id. */
function toLocal(value: unknown, created: readonly Created[]): unknown {
  if (typeof value !== 'object' || value === null || !('id' in value && 'type' in value))
    return value
  const { id, ...rest } = value
  const found = created.find((each) => each.type === value.type && each.id === id)
  return found === undefined ? value : { ...rest, lid: found.lid }
}

import { getRelationship, getResourceType, type Model } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import { collectConditions } from '../plan/affected-types.ts'
import { formatEdgePath } from '../plan/include.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import type { WritePlan } from '../plan/write.ts'
import type { ReadSubject } from '../store/access/explain-access.ts'

/** The first operation of a request on the database. */
export interface RequestWork {
  readonly identity: Identity | undefined
  readonly read?: Readonly<{ read: ReadPlan; id: string | undefined }>
  readonly write?: WritePlan
}

/** A part of a request, and the type whose rows it reads. */
type RequestPart = ReadSubject & Readonly<{ part: string }>

/** Lists the parts of a request, in the order in which its rules are explained. */
export function listRequestParts({ read, write }: RequestWork, model: Model): RequestPart[] {
  const parts = read ? listReadParts(read.read, read.id, model) : []
  if (write) parts.push(...listWriteParts(write))
  // A type may be reached several times over the same path.
  const known = new Map(parts.map((each) => [JSON.stringify(each), each]))
  return [...known.values()]
}

function listWriteParts({ precondition, existenceChecks }: WritePlan): RequestPart[] {
  return [
    ...(precondition
      ? [{ part: 'path', type: precondition.notFound.type, id: precondition.id }]
      : []),
    ...existenceChecks.map(({ type, id, pointer }) => ({ part: pointer, type, id })),
  ]
}

function listReadParts(
  { shape, notFound }: ReadPlan,
  id: string | undefined,
  model: Model,
): RequestPart[] {
  return [
    ...(id === undefined ? [] : [{ part: 'path', type: notFound.type, id }]),
    ...(shape.addressed.is === 'one' ? [] : [{ part: 'data', type: shape.type }]),
    ...shape.includeEdges.map(({ to }, at) => ({
      part: `include ${formatEdgePath(shape.includeEdges, at)}`,
      type: to,
    })),
    ...listLinkageParts(shape, model),
    ...listFilterParts(shape, model),
    ...listSortParts(shape, model),
  ]
}

function listLinkageParts({ primary, included }: ReadShape, model: Model): RequestPart[] {
  return [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => ({
      part: `linkage ${type}.${relationship}`,
      type: getRelationship(getResourceType(model, type), relationship).to,
    })),
  )
}

function listFilterParts({ type, where }: ReadShape, model: Model): RequestPart[] {
  const conditions = collectConditions(where, getResourceType(model, type), model)
  return conditions.flatMap(([from, condition]) => {
    if (!('relationship' in condition)) return []
    const { relationship } = condition
    const part = `filter ${from.type}.${relationship}`
    return [{ part, type: getRelationship(from, relationship).to }]
  })
}

function listSortParts({ type, order }: ReadShape, model: Model): RequestPart[] {
  return order.flatMap(({ path, field, isCount }) => {
    let from = getResourceType(model, type)
    return (isCount ? [...path, field] : path).map((name) => {
      const part = `sort ${from.type}.${name}`
      from = getResourceType(model, getRelationship(from, name).to)
      return { part, type: from.type }
    })
  })
}

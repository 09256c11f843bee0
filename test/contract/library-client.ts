import type { Store } from 'lapidary'
import { emptyCollector, reportAll, throwErrors } from '../../src/errors/collector.ts'
import { getRelationship, getResourceType } from '../../src/model/model.ts'
import { parseLinkage, parseResource } from '../../src/parse/body.ts'
import { parseQuery } from '../../src/parse/query.ts'
import { planMembers } from '../../src/plan/members.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { planCollection, planLinkage, planResource, type ReadPlan } from '../../src/plan/read.ts'
import type { Rows } from '../../src/plan/read-result.ts'
import type { Row } from '../../src/plan/row-layout.ts'
import {
  planCreate,
  planDelete,
  planRelationshipWrite,
  planUpdate,
  type WritePlan,
} from '../../src/plan/write.ts'
import type { LinkChange } from '../../src/plan/write-builder.ts'
import { createDocumentSerializer, type DocumentText } from '../../src/serialize/document.ts'
import type { ReadOptions, Transaction, Written } from '../../src/sql/store.ts'
import { library } from './library-model.ts'

/** A planned read, with the serializer of its rows. */
interface PlannedRead {
  readonly plan: ReadPlan
  readonly serialize: (rows: Rows) => DocumentText
}

/** The members of a resource object that the contract checks. An identifier object has only type and id. */
interface ResourceObject {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: Linkage }>>
}
type Linkage = null | ResourceObject | readonly ResourceObject[]

/** A resource object of a request; the type is that of the request. */
interface NewResource {
  readonly id?: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data: Linkage }>>
}

/** A summary of a document. */
interface Summary {
  /** Each resource as `type id value …`, with its linkage as `relationship=id,…`. */
  readonly data: null | string | readonly string[]
  /** Sorted, because their order is not defined. */
  readonly included?: readonly string[]
  /** Resources on all pages. */
  readonly count?: number
}

const planner = createPlanner(library)
const serializer = createDocumentSerializer(library, '')
const linkBase = { origin: 'http://x', path: '/x', related: '/x' }

/** Plans the read of all resources of a type. */
export function planList(type: string, search = ''): PlannedRead {
  const target = { resource: getResourceType(library, type) }
  const plan = planCollection(planner, parseQuery(search), target)
  return { plan, serialize: (rows) => serializer.serializeCollection(plan, rows, linkBase) }
}

/** Plans the read of one resource by its id. */
export function planOne(type: string, search = ''): PlannedRead {
  const plan = planResource(planner, parseQuery(search), {
    resource: getResourceType(library, type),
  })
  return { plan, serialize: (rows) => serializer.serializeResource(plan, rows, '/x') }
}

/** Plans the read of the related resources of a relationship, e.g. `author.books`. */
export function planRelated(path: string, search = ''): PlannedRead {
  const target = findTarget(path)
  if (!target.relationship.many) {
    const plan = planResource(planner, parseQuery(search), target)
    return { plan, serialize: (rows) => serializer.serializeResource(plan, rows, '/x') }
  }
  const plan = planCollection(planner, parseQuery(search), target)
  return { plan, serialize: (rows) => serializer.serializeCollection(plan, rows, linkBase) }
}

/** Plans the read of the linkage of a relationship, e.g. `author.books`. */
export function planLinks(path: string, search = ''): PlannedRead {
  const target = findTarget(path)
  const plan = planLinkage(planner, parseQuery(search), target)
  const serialize = target.relationship.many
    ? serializer.serializeToManyLinkage
    : serializer.serializeToOneLinkage
  return { plan, serialize: (rows) => serialize(plan, rows, linkBase) }
}

/** Plans a create; with a parent such as `author.books`, as a related resource of the one with the id. */
export function planNew(
  type: string,
  resource: NewResource,
  parent?: readonly [path: string, id: string],
): WritePlan {
  const target = parent && { ...findTarget(parent[0]), id: parent[1] }
  const parsed = parseResource(encode({ type, ...resource }))
  return planCreate(planner, parsed, getResourceType(library, type), { parent: target })
}

/** Plans an update. */
export function planChange(type: string, id: string, resource: NewResource): WritePlan {
  const parsed = parseResource(encode({ type, id, ...resource }), true)
  return planUpdate(planner, parsed, getResourceType(library, type), id)
}

/** Plans a write to a relationship, e.g. `author.books`. */
export function planLinkWrite(
  path: string,
  id: string,
  change: LinkChange['change'],
  data: Linkage,
): WritePlan {
  const target = { ...findTarget(path), id }
  return planRelationshipWrite(planner, parseLinkage(encode(data)), target, change)
}

/** Plans a deletion. */
export function planRemoval(type: string, id: string): WritePlan {
  return planDelete(planner, getResourceType(library, type), id)
}

/** Reads stored books: those with the ids, or those whose author the change of a relationship sets. */
export async function readBooks(
  store: Store,
  ids: readonly string[],
  change?: Readonly<{ author: string; is: LinkChange['change'] }>,
): Promise<readonly Row[]> {
  const changedBy = change && { type: 'author', relationship: 'books', change: change.is }
  const shape = planMembers(planner, getResourceType(library, 'book'), changedBy)
  const values = { ids, ...(change && { id: change.author }) }
  return store.transaction((transaction) => transaction.readMembers(shape, values))
}

/** Reads a document from a store. */
export async function read(
  store: Store,
  { plan, serialize }: PlannedRead,
  id?: string,
  options?: ReadOptions,
): Promise<Summary> {
  return summarize(serialize(await store.read(plan, id, options)))
}

/** Executes a create or an update in a transaction; throws every error of the plan and of the preconditions. */
export async function writeIn(
  transaction: Transaction,
  plan: WritePlan,
  readPlan?: ReadPlan,
): Promise<Written> {
  const errors = emptyCollector()
  reportAll(errors, plan.errors)
  reportAll(errors, await transaction.checkPreconditions(plan))
  throwErrors(errors)
  const prepared = transaction.prepareWrite(plan, { readPlan })
  await transaction.run(prepared.steps)
  return prepared.result()
}

/** Executes a create or an update in a transaction of its own. */
export function write(store: Store, plan: WritePlan, readPlan?: ReadPlan): Promise<Written> {
  return store.transaction((transaction) => writeIn(transaction, plan, readPlan))
}

/** Deletes a resource in a transaction of its own. */
export function remove(store: Store, type: string, id: string): Promise<void> {
  return store.transaction(async (transaction) => {
    await transaction.remove(planRemoval(type, id))
  })
}

/** Reads the text of a document to its end, and summarizes it. */
export async function summarize(text: DocumentText): Promise<Summary> {
  let json = typeof text === 'string' ? text : ''
  if (typeof text !== 'string') for await (const chunk of text) json += chunk
  const document: {
    data: Linkage
    included?: readonly ResourceObject[]
    meta?: { count?: number }
  } = JSON.parse(json)
  const { data, included, meta } = document
  return {
    data: isList(data) ? data.map(outline) : data && outline(data),
    ...(included && { included: included.map(outline).sort() }),
    ...(meta?.count !== undefined && { count: meta.count }),
  }
}

function outline({ type, id, attributes = {}, relationships = {} }: ResourceObject): string {
  const linkages = Object.entries(relationships).flatMap(([name, { data }]) => {
    if (data === undefined) return []
    const identifiers = isList(data) ? data : data === null ? [] : [data]
    return [`${name}=${identifiers.map((identifier) => identifier.id).join(',')}`]
  })
  return [type, id, ...Object.values(attributes), ...linkages].join(' ')
}

function isList(data: Linkage): data is readonly ResourceObject[] {
  return Array.isArray(data)
}

function findTarget(path: string) {
  const [type = '', name = ''] = path.split('.')
  const resource = getResourceType(library, type)
  return { resource, relationship: getRelationship(resource, name) }
}

function encode(data: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ data }))
}

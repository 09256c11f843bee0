import { checkExchanges } from './check-exchanges.ts'
import { checkFilters } from './check-filters.ts'
import { checkLists } from './check-lists.ts'
import { checkRelationships } from './check-relationships.ts'
import { checkValues } from './check-values.ts'
import {
  describeResponse,
  type Examination,
  limitSize,
  listOf,
  serializeValue,
} from './examination.ts'
import type { ExaminedResource, ExaminedResponse } from './examined-api.ts'
import { mediaType } from './exchange/parse-exchange.ts'
import { readPages } from './read-pages.ts'

/** The options of an examination. */
interface ExaminationOptions {
  /** The maximum number of resources of each type. */
  readonly sample: number
}

/** The number of sampled resources whose links are followed; each takes several requests. */
const followedResources = 5

/**
 * Examines the resources of a type: counts, links, relationships, documents, lists, errors and values. Each response must also follow the
 * rules of JSON:API, and the description of the API.
 * @returns the number of examined resources, and of all, and the relationships that were not examined because of their size
 */
export async function checkType(
  unchecked: Examination,
  { sample }: ExaminationOptions,
): Promise<Readonly<{ examined: number; count: number | undefined; large: ReadonlySet<string> }>> {
  const examination = { ...unchecked, api: checkExchanges(unchecked) }
  const { resources, count, isReadable } = await readSample(examination, sample)
  const large = new Set<string>()
  if (!isReadable) return { examined: 0, count, large }
  for (const resource of resources.slice(0, followedResources)) {
    await checkSelf(examination, resource)
    for (const name of await checkRelationships(examination, resource)) large.add(name)
  }
  const [first] = resources
  if (first) await checkFieldsets(examination, first)
  await checkIncluded(examination, large)
  await checkLists(examination)
  await checkErrors(examination)
  await checkProfiles(examination)
  if (examination.api.declared) await checkValues(examination, sample)
  else await checkFilters(examination, resources)
  return { examined: resources.length, count, large }
}

/** The resources of the first pages, and the number of all. */
interface Sample {
  readonly resources: readonly ExaminedResource[]
  /** `undefined` if the API does not count the list. */
  readonly count: number | undefined
  /** False if a page cannot be read. */
  readonly isReadable: boolean
}

/** Reads pages until there are enough resources. The count must be that of the resources on all pages. */
async function readSample(examination: Examination, sample: number): Promise<Sample> {
  const { api, type, violations } = examination
  const { resources, next, failure, ...pages } = await readPages(api, type.path, sample)
  const add = (problem: string, url = type.path) =>
    violations.add({ subject: type.type, problem, example: `GET ${decodeURI(url)}` })
  if (failure) {
    add(`the list is not readable: ${describeResponse(failure.response)}`, failure.url)
    return { resources, count: pages.count, isReadable: false }
  }
  const count = pages.count ?? (next === undefined ? resources.length : undefined)
  if (next === undefined) reportCount(add, count, resources.length)
  else await checkEnd(examination, { resources, count, next }, add)
  if (new Set(resources.map(({ id }) => id)).size !== resources.length)
    add('the list has a resource twice')
  return { resources, count, isReadable: true }
}

type Report = (problem: string, url?: string) => void

function reportCount(add: Report, count: number | undefined, found: number): void {
  if (count !== found) add(`meta.count is ${count}, and the pages have ${found} resources`)
}

/** The first pages of a list that has more. */
interface Beginning extends Omit<Sample, 'isReadable'> {
  readonly next: string
}

/** The most resources of a list between cursors that are read to count them. */
const maxCounted = 1000

/** Checks that a list ends at its count. The pages between are not read if they have numbers. */
async function checkEnd(
  { api, type }: Examination,
  { resources, count, next }: Beginning,
  add: Report,
): Promise<void> {
  const first = await api.get(type.path)
  const { last } = first.document.links ?? {}
  if (typeof last !== 'string') return
  const { status, document } = await api.get(last)
  const number = new URL(last, 'http://localhost').searchParams.get('page[number]')
  const end = (Number(number) - 1) * listOf(first.document).length + listOf(document).length
  if (status !== 200) return add(`meta.count is ${count}, and the last page is not readable`, last)
  if (number !== null) {
    if (end !== count) add(`meta.count is ${count}, and the last page ends at ${end}`, last)
    return
  }
  const rest = await readPages(api, next, maxCounted - resources.length)
  const all = toIds([...resources, ...rest.resources])
  if (rest.failure)
    return add(
      `the list is not readable: ${describeResponse(rest.failure.response)}`,
      rest.failure.url,
    )
  if (rest.next !== undefined) return
  if (count !== undefined) reportCount(add, count, all.length)
  const ids = toIds(listOf(document))
  if (ids.length === 0 || ids.join() !== all.slice(-ids.length).join())
    add('the last page has other resources than the end of the list', last)
}

const toIds = (resources: readonly ExaminedResource[]) => resources.map(({ id }) => id)

/** Checks that the link `self` of a resource leads to the same resource. */
async function checkSelf(
  { api, type, violations }: Examination,
  resource: ExaminedResource,
): Promise<void> {
  const self = resource.links?.self ?? `${type.path}/${encodeURIComponent(resource.id)}`
  const { status, document } = await api.get(self)
  const add = (problem: string) =>
    violations.add({ subject: type.type, problem, example: `GET ${self}` })
  if (status !== 200)
    return add(`the link self does not resolve: ${describeResponse({ status, document })}`)
  const found = document.data
  if (JSON.stringify(found) !== JSON.stringify(resource))
    add('the resource differs from the one in the list')
}

/** The included resources of a relationship that are compared. */
const comparedResources = 3

/**
 * Checks that included resources are equal to the responses to their own addresses.
 * @param large - the relationships with too many members to include them
 */
async function checkIncluded(examination: Examination, large: ReadonlySet<string>): Promise<void> {
  const { api, type, violations } = examination
  for (const name of Object.keys(type.relationships)) {
    if (large.has(name)) continue
    const url = `${type.path}?include=${encodeURIComponent(name)}&page[size]=${limitSize(examination, 5)}`
    const { document } = await api.get(url)
    for (const included of (document.included ?? []).slice(0, comparedResources)) {
      const { self } = included.links ?? {}
      if (self === undefined) continue
      const response = await api.get(self)
      const [own] = listOf(response.document)
      if (response.status === 200 && own && isEqual(own, included)) continue
      const problem = `an included resource differs from its own address ${self}: ${describeResponse(response)}`
      violations.add({ subject: `${type.type}.${name}`, problem, example: `GET ${url}` })
    }
  }
}

/** Linkage aside, which depends on what is included. */
function isEqual(one: ExaminedResource, other: ExaminedResource): boolean {
  const withoutLinkage = ({ type, id, attributes }: ExaminedResource) =>
    serializeValue([type, id, attributes])
  return withoutLinkage(one) === withoutLinkage(other)
}

/**
 * Checks that `fields` selects exactly the named field of a resource, with the value that the resource has.
 * @see https://jsonapi.org/format/1.0/#fetching-sparse-fieldsets
 */
async function checkFieldsets(
  { api, type, violations }: Examination,
  resource: ExaminedResource,
): Promise<void> {
  const { attributes = {}, relationships = {} } = resource
  for (const name of [...Object.keys(attributes), ...Object.keys(relationships)]) {
    const query = `fields[${encodeURIComponent(type.type)}]=${encodeURIComponent(name)}`
    const url = `${type.path}/${encodeURIComponent(resource.id)}?${query}`
    const response = await api.get(url)
    const [found] = listOf(response.document)
    const names = [found?.attributes, found?.relationships].flatMap((each) =>
      Object.keys(each ?? {}),
    )
    const isSame = serializeValue(found?.attributes?.[name]) === serializeValue(attributes[name])
    if (response.status === 200 && names.join() === name && isSame) continue
    const problem = `fields does not select it alone: ${describeResponse(response)}`
    violations.add({ subject: `${type.type}.${name}`, problem, example: `GET ${url}` })
  }
}

/** A request that the server must reject, or respond to with the media type of JSON:API. */
interface ErrorCase {
  /** The end of the sentence "… must be 400". */
  readonly request: string
  readonly status: number
  /** The part of the target after the path of the type. */
  readonly suffix: string
  readonly accept?: string
}

// biome-ignore format: a table, one request a row
const cases: readonly ErrorCase[] = [
  { request: 'a resource that does not exist', status: 404, suffix: '/no-such-id' },
  { request: 'an include path that does not exist', status: 400, suffix: '?include=no-such-name' },
  { request: 'a sort field that does not exist', status: 400, suffix: '?sort=no-such-name' },
  { request: 'an unknown query parameter in small letters', status: 400, suffix: '?nosuchparameter=1' },
  { request: 'a page that is not a number', status: 400, suffix: '?page[number]=x' },
  { request: 'a media type of JSON:API with a parameter in Accept', status: 406, suffix: '', accept: `${mediaType}; no=1` },
]

/**
 * Checks the responses to requests that a server must reject, and the media type of its documents.
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
async function checkErrors({ api, type, violations }: Examination): Promise<void> {
  const report = (problem: string, suffix: string) =>
    violations.add({ subject: type.type, problem, example: `GET ${type.path}${suffix}` })
  for (const { request, status, suffix, accept } of cases) {
    const response = await api.get(type.path + suffix, accept)
    if (response.status !== status)
      report(`${request} must be ${status}; it is ${describeResponse(response)}`, suffix)
    else if (!isErrorDocument(response))
      report(`${request} has no error document of JSON:API with the status ${status}`, suffix)
  }
}

/** Checks that the profiles of declarations are applied: their functions run only for a client that accepts them. */
async function checkProfiles({ api, type, violations }: Examination): Promise<void> {
  for (const [uri] of api.declared?.model.profiles ?? []) {
    const response = await api.get(type.path, `${mediaType};profile="${uri}"`)
    if (response.status === 200 && response.contentType?.includes(uri)) continue
    const problem = `the list does not have the profile ${uri}: ${describeResponse(response)}`
    violations.add({ subject: type.type, problem, example: `GET ${type.path}` })
  }
}

function isErrorDocument({ status, contentType, document }: ExaminedResponse): boolean {
  const { errors } = document
  return (
    contentType === mediaType &&
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((error) => error.status === String(status))
  )
}

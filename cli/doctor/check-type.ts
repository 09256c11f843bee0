import { checkFieldsets, checkIncluded } from './check-documents.ts'
import { checkErrors } from './check-errors.ts'
import { checkFilters } from './check-filters.ts'
import { checkLists } from './check-lists.ts'
import { checkRelationships } from './check-relationships.ts'
import { checkValues } from './check-values.ts'
import { describeResponse, type Examination, listOf } from './examination.ts'
import type { ExaminedResource } from './examined-api.ts'

/** The options of an examination. */
interface ExaminationOptions {
  /** The maximum number of resources of each type. */
  readonly sample: number
}

/** The number of sampled resources whose links are followed; each takes several requests. */
const followedResources = 5

/**
 * Examines the resources of a type: counts, links, relationships, documents, lists, errors and values.
 * @returns the number of examined resources, and of all, and the relationships that were not examined because of their size
 */
export async function checkType(
  examination: Examination,
  { sample }: ExaminationOptions,
): Promise<Readonly<{ examined: number; count: number; large: ReadonlySet<string> }>> {
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
  if (examination.api.declared) await checkValues(examination, sample)
  else await checkFilters(examination, resources)
  return { examined: resources.length, count, large }
}

/** The resources of the first pages, and the number of all. */
interface Sample {
  readonly resources: readonly ExaminedResource[]
  readonly count: number
  /** False if a page cannot be read. */
  readonly isReadable: boolean
}

/** Reads pages until there are enough resources. The count must be that of the resources on all pages. */
async function readSample({ api, type, violations }: Examination, sample: number): Promise<Sample> {
  const resources: ExaminedResource[] = []
  let url: string | null | undefined = type.path
  let count = 0
  while (url && resources.length < sample) {
    const { status, document } = await api.get(url)
    const add = (problem: string) =>
      violations.add({ subject: type.type, problem, example: `GET ${decodeURI(url ?? '')}` })
    if (status !== 200 || !Array.isArray(document.data)) {
      add(`the list is not readable: ${describeResponse({ status, document })}`)
      return { resources, count, isReadable: false }
    }
    resources.push(...listOf(document))
    count = document.meta?.count ?? 0
    const hasNext = typeof document.links?.next === 'string'
    if (!hasNext && resources.length !== count)
      add(`meta.count is ${count}, and the pages have ${resources.length} resources`)
    url = document.links?.next
  }
  const ids = new Set(resources.map(({ id }) => id))
  if (url) await checkLast({ api, type, violations }, count)
  if (ids.size !== resources.length)
    violations.add({
      subject: type.type,
      problem: 'the list has a resource twice',
      example: `GET ${type.path}`,
    })
  return { resources, count, isReadable: true }
}

/** Checks that the last page ends at the count. The pages before it are not read. */
async function checkLast({ api, type, violations }: Examination, count: number): Promise<void> {
  const first = await api.get(type.path)
  const { last } = first.document.links ?? {}
  if (typeof last !== 'string') return
  const { status, document } = await api.get(last)
  const number = Number(new URL(last, 'http://localhost').searchParams.get('page[number]'))
  const end = (number - 1) * listOf(first.document).length + listOf(document).length
  if (status === 200 && end === count) return
  const found = status === 200 ? `the last page ends at ${end}` : 'the last page is not readable'
  const problem = `meta.count is ${count}, and ${found}`
  violations.add({ subject: type.type, problem, example: `GET ${decodeURI(last)}` })
}

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

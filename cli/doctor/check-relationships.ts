import { describeResponse, type Examination, listOf } from './examination.ts'
import type { ExaminedDocument, ExaminedResource, Identifier } from './examined-api.ts'
import { readPages } from './read-pages.ts'

/** The members of a relationship that are compared: a resource may have millions, and all of them would be one document. */
const maxMembers = 1000

const keyOf = ({ type, id }: Identifier) => JSON.stringify([type, id])

/**
 * Checks the relationships of a resource: full linkage of the included resources
 * (https://jsonapi.org/format/1.0/#document-compound-documents), and the same members in the linkage, at the link `self` of the
 * relationship, and at its link `related`.
 * @returns the relationships that have too many members to compare them
 */
export async function checkRelationships(
  examination: Examination,
  { id, relationships }: ExaminedResource,
): Promise<string[]> {
  const { api, type, violations } = examination
  const large: string[] = []
  for (const name of Object.keys(type.relationships)) {
    if (await isLarge(examination, relationships?.[name]?.links?.related)) {
      large.push(name)
      continue
    }
    const url = `${type.path}/${encodeURIComponent(id)}?include=${encodeURIComponent(name)}`
    const subject = `${type.type}.${name}`
    const { status, document } = await api.get(url)
    const add = (problem: string, example = url) =>
      violations.add({ subject, problem, example: `GET ${example}` })
    const [resource] = listOf(document)
    const relationship = resource?.relationships?.[name]
    if (status !== 200 || relationship?.data === undefined) {
      add(`the included resources are not readable: ${describeResponse({ status, document })}`)
      continue
    }
    const linkage = [relationship.data ?? []].flat()
    checkFullLinkage(document, linkage, add)
    for (const link of ['self', 'related'] as const)
      await checkMembers(examination, { link, url: relationship.links?.[link], linkage, add })
  }
  return large
}

/** Whether the first page at the link `related` of a relationship counts too many members. */
async function isLarge({ api }: Examination, related: string | undefined): Promise<boolean> {
  if (related === undefined) return false
  const { document } = await api.get(related)
  const { count } = document.meta ?? {}
  if (count !== undefined) return count > maxMembers
  return (await readPages(api, related, maxMembers + 1)).resources.length > maxMembers
}

type Report = (problem: string, example?: string) => void

function checkFullLinkage(
  { data, included = [] }: ExaminedDocument,
  linkage: readonly Identifier[],
  add: Report,
): void {
  const present = new Set([data ?? [], included].flat().map(keyOf))
  const linked = new Set(linkage.map(keyOf))
  if (linkage.some((each) => !present.has(keyOf(each))))
    add('the linkage names a resource that is not included')
  if (included.some((each) => !linked.has(keyOf(each))))
    add('a resource is included that the linkage does not name')
  if (linked.size !== linkage.length) add('the linkage names a resource twice')
}

/** The members at a link of a relationship, and the count of them. */
interface LinkedMembers {
  readonly link: 'self' | 'related'
  readonly url: string | undefined
  readonly linkage: readonly Identifier[]
  readonly add: Report
}

async function checkMembers(
  { api }: Examination,
  { link, url, linkage, add }: LinkedMembers,
): Promise<void> {
  if (url === undefined) return add(`the relationship has no link ${link}`)
  const { resources, count, failure } = await readPages(api, url)
  if (failure)
    return add(
      `the link ${link} does not resolve: ${describeResponse(failure.response)}`,
      failure.url,
    )
  const members = resources.map(keyOf)
  if (count !== undefined && count !== members.length)
    add(`meta.count is ${count}, and the pages have ${members.length} resources`, url)
  const expected = new Set(linkage.map(keyOf))
  if (members.length !== expected.size || members.some((each) => !expected.has(each)))
    add(`the link ${link} has other members than the linkage`, url)
}

import { describeResponse, type Examination, listOf, serializeValue } from './examination.ts'
import type { ExaminedResource } from './examined-api.ts'

/** The included resources of a relationship that are compared. */
const comparedResources = 3

/**
 * Checks that included resources are equal to the responses to their own addresses.
 * @param large - the relationships with too many members to include them
 */
export async function checkIncluded(
  { api, type, violations }: Examination,
  large: ReadonlySet<string>,
): Promise<void> {
  for (const name of Object.keys(type.relationships)) {
    if (large.has(name)) continue
    const url = `${type.path}?include=${encodeURIComponent(name)}&page[size]=5`
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
export async function checkFieldsets(
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

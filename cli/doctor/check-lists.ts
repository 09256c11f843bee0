import { describeResponse, type Examination, limitSize, listOf } from './examination.ts'
import type { ExaminedResource } from './examined-api.ts'
import { readPages } from './read-pages.ts'

/** The maximum number of resources in a list whose order is checked. */
const maxSorted = 100

/**
 * Checks the order of lists: descending is the reverse of ascending, numbers ascend, and pages of another size have the same resources
 * in the same order.
 */
export async function checkLists(examination: Examination): Promise<void> {
  const { description } = examination
  const plain = (description?.sorts ?? []).filter((name) => /^[^.]+$/.test(name))
  const ascending = await readList(
    examination,
    `sort=id&page[size]=${limitSize(examination, maxSorted)}`,
  )
  if (ascending === undefined) return
  await checkPages(examination, ascending)
  for (const name of plain) await checkSort(examination, name)
}

/** A list, and whether it has all resources of the type. */
interface SortedList {
  readonly resources: readonly ExaminedResource[]
  readonly isComplete: boolean
}

/** Reads the first page of a list. */
async function readList(
  { api, type, violations }: Examination,
  query: string,
): Promise<SortedList | undefined> {
  const url = `${type.path}?${query}`
  const response = await api.get(url)
  const { document } = response
  if (response.status === 200)
    return { resources: listOf(document), isComplete: typeof document.links?.next !== 'string' }
  const problem = `the list is not readable: ${describeResponse(response)}`
  violations.add({ subject: type.type, problem, example: `GET ${url}` })
  return undefined
}

const toIds = (resources: readonly ExaminedResource[]) => resources.map(({ id }) => id)

/** The first two pages of half the size have the resources of one page. */
async function checkPages(
  { api, type, violations }: Examination,
  { resources }: SortedList,
): Promise<void> {
  const size = Math.ceil(resources.length / 2)
  if (size < 1) return
  const url = `${type.path}?sort=id&page[size]=${size}`
  const pages = await readPages(api, url, size + 1)
  const ids = toIds(pages.resources).slice(0, resources.length)
  if (ids.join() === toIds(resources).join()) return
  const problem = 'pages of half the size have other resources, or another order'
  violations.add({ subject: type.type, problem, example: `GET ${url}` })
}

async function checkSort(examination: Examination, name: string): Promise<void> {
  const { type, violations } = examination
  const [ascending, descending] = [`${name},id`, `-${name},-id`].map(
    (sort) => `sort=${encodeURIComponent(sort)}&page[size]=${limitSize(examination, maxSorted)}`,
  ) as [string, string]
  const up = await readList(examination, ascending)
  const down = up && (await readList(examination, descending))
  if (up === undefined || down === undefined) return
  const add = (problem: string) =>
    violations.add({
      ...{ subject: `${type.type}.${name}`, problem },
      example: `GET ${type.path}?${decodeURIComponent(ascending)}`,
    })
  const isReverse = toIds(up.resources).toReversed().join() === toIds(down.resources).join()
  if (up.isComplete && down.isComplete && !isReverse)
    add('the list in descending order is not the reverse of that in ascending order')
  const numbers = up.resources.flatMap(({ attributes }) => {
    const value = attributes?.[name]
    return typeof value === 'number' ? [value] : []
  })
  if (numbers.some((value, index) => index > 0 && value < (numbers[index - 1] ?? value)))
    add('the numbers of the sorted list do not ascend')
}

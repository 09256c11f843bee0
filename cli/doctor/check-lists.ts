import { describeResponse, type Examination, listOf } from './examination.ts'
import type { ExaminedResource } from './examined-api.ts'

/** The maximum number of resources in a list whose order is checked. */
const maxSorted = 100

/**
 * Checks the order of lists: descending is the reverse of ascending, numbers ascend, and pages of another size have the same resources
 * in the same order.
 */
export async function checkLists(examination: Examination): Promise<void> {
  const { description } = examination
  const plain = (description?.sorts ?? []).filter((name) => /^[^.]+$/.test(name))
  const ascending = await readIds(examination, `sort=id&page[size]=${maxSorted}`)
  if (ascending === undefined) return
  await checkPages(examination, ascending)
  for (const name of plain) await checkSort(examination, name)
}

/** A list, and whether it has all resources of the type. */
interface SortedList {
  readonly resources: readonly ExaminedResource[]
  readonly isComplete: boolean
}

async function readIds(
  { api, type, violations }: Examination,
  query: string,
): Promise<SortedList | undefined> {
  const url = `${type.path}?${query}`
  const response = await api.get(url)
  if (response.status === 200) {
    const resources = listOf(response.document)
    return { resources, isComplete: response.document.meta?.count === resources.length }
  }
  const problem = `the list is not readable: ${describeResponse(response)}`
  violations.add({ subject: type.type, problem, example: `GET ${url}` })
  return undefined
}

const toIds = (resources: readonly ExaminedResource[]) => resources.map(({ id }) => id)

/** The first two pages of half the size have the resources of one page. */
async function checkPages(examination: Examination, { resources }: SortedList): Promise<void> {
  const size = Math.ceil(resources.length / 2)
  if (size < 1) return
  const queries = [1, 2].map((number) => `sort=id&page[size]=${size}&page[number]=${number}`)
  const ids: string[] = []
  for (const query of queries)
    ids.push(...toIds((await readIds(examination, query))?.resources ?? []))
  if (ids.slice(0, resources.length).join() === toIds(resources).join()) return
  const { type, violations } = examination
  const problem = 'pages of half the size have other resources, or another order'
  violations.add({ subject: type.type, problem, example: `GET ${type.path}?${queries[1]}` })
}

async function checkSort(examination: Examination, name: string): Promise<void> {
  const { type, violations } = examination
  const [ascending, descending] = [`${name},id`, `-${name},-id`].map(
    (sort) => `sort=${encodeURIComponent(sort)}&page[size]=${maxSorted}`,
  ) as [string, string]
  const up = await readIds(examination, ascending)
  const down = up && (await readIds(examination, descending))
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

import { describeResponse, type Examination, listOf, serializeValue } from './examination.ts'
import type { ExaminedResource } from './examined-api.ts'

/** The number of resources that filters by each of their values are sent for. */
const filteredResources = 3
/** The longest value that is sent in a URL, in UTF-16 code units of its JSON. */
const maxLength = 1000

/** How an operator compares a value with itself. */
interface SelfComparison {
  /** Whether a filter by the value of a resource finds this resource. */
  readonly isFound: boolean
  readonly toOperand: (value: unknown) => unknown
  /** Whether it compares null, too. Default false. */
  readonly takesNull?: boolean
}

const same = (value: unknown) => value
const listed = (value: unknown) => [value]

// biome-ignore format: a table, one operator a row
const selfComparisons: Readonly<Record<string, SelfComparison>> = {
  eq:         { isFound: true,  toOperand: same },
  is_:        { isFound: true,  toOperand: same, takesNull: true },
  in_:        { isFound: true,  toOperand: listed },
  ge:         { isFound: true,  toOperand: same },
  le:         { isFound: true,  toOperand: same },
  between:    { isFound: true,  toOperand: (value) => [value, value] },
  startswith: { isFound: true,  toOperand: same },
  endswith:   { isFound: true,  toOperand: same },
  ne:         { isFound: false, toOperand: same },
  isnot:      { isFound: false, toOperand: same, takesNull: true },
  notin_:     { isFound: false, toOperand: listed },
  gt:         { isFound: false, toOperand: same },
  lt:         { isFound: false, toOperand: same },
}

/**
 * Checks that filters by the values of a resource find it with the operators that compare a value with itself, and do not find it with
 * their opposites. The description of the API says which operators an attribute has.
 */
export async function checkFilters(
  examination: Examination,
  resources: readonly ExaminedResource[],
): Promise<void> {
  const filters = examination.description?.filters ?? new Map<string, ReadonlySet<string>>()
  for (const { id, attributes = {} } of resources.slice(0, filteredResources))
    for (const [name, operators] of filters) {
      const value = name === 'id' ? id : attributes[name]
      if (value === undefined || serializeValue(value).length > maxLength) continue
      await checkValue(examination, { id, name, value, operators })
    }
}

/** The value of an attribute of a resource. */
interface FoundValue {
  readonly id: string
  readonly name: string
  readonly value: unknown
  readonly operators: ReadonlySet<string>
}

/** Sends one filter that joins all operators. If the response is not the expected one, sends a filter for each. */
async function checkValue(examination: Examination, found: FoundValue): Promise<void> {
  const { id, name, value, operators } = found
  const tests = Object.entries(selfComparisons)
    .filter(([op, { takesNull = false }]) => operators.has(op) && (value !== null || takesNull))
    .map(([op, { isFound, toOperand }]) => {
      const condition = { name, op, val: toOperand(value) }
      return { op, isFound, filter: isFound ? condition : { not: condition } }
    })
  const all = tests.map(({ filter }) => filter)
  if (all.length === 0 || (await countFound(examination, id, all)).count === 1) return
  for (const { op, isFound, filter } of tests) {
    const { count, response, url } = await countFound(examination, id, [filter])
    if (count === 1) continue
    const result =
      count === undefined ? `is ${response}` : `${isFound ? 'does not find' : 'finds'} the resource`
    const problem = `a filter by ${op} and its value ${serializeValue(value)} ${result}`
    const subject = `${examination.type.type}.${name}`
    examination.violations.add({ subject, problem, example: `GET ${url}` })
  }
}

async function countFound(
  { api, type }: Examination,
  id: string,
  conditions: readonly object[],
): Promise<Readonly<{ count: number | undefined; response: string; url: string }>> {
  const filter = serializeValue([{ name: 'id', op: 'eq', val: id }, ...conditions])
  const url = `${type.path}?filter=${encodeURIComponent(filter)}`
  const response = await api.get(url)
  const count = response.status === 200 ? listOf(response.document).length : undefined
  return { count, response: describeResponse(response), url: decodeURIComponent(url) }
}

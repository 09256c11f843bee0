import { attempt, emptyCollector, throwErrors } from '../errors/collector.ts'
import { findNearest } from '../errors/suggestion.ts'
import type { ResourceType } from '../model/model.ts'
import { parseFieldFilter, parseFieldFilterName } from '../parse/filter.ts'
import { type FieldRemedy, findFieldFilter, formatParameter } from '../parse/other-idioms.ts'
import { createUnknownError, type ParsedQuery } from '../parse/query.ts'
import { findParameter } from './filter/arguments.ts'
import { planFilter } from './filter/filter.ts'
import type { Planner } from './planner.ts'

// Clients of other servers filter by parameters with the names of fields: `year=1800`, `year[gt]=1800`, `artist.name=Ada`. They are no
// parameters here, because a later version may add any of these names, but the error says which filter means the same.

/** What the parameters of a request are about. */
interface AddressedList {
  readonly resource: ResourceType
  readonly planner: Pick<Planner, 'model'>
  /** Whether the URL has a list, which takes filters. */
  readonly isMany: boolean
}

/**
 * Throws the errors of a query's syntax. That of a parameter with the name of a field says which filter to send.
 * @throws ApiError | ManyErrors (400)
 */
export function checkSyntax({ errors: list, pairs }: ParsedQuery, addressed: AddressedList): void {
  const { errors, more } = list
  if (errors.length === 0) return
  const unknown = new Set(
    errors.filter(({ code }) => code === 'unknown_parameter').map(({ location }) => location),
  )
  const described = errors.flatMap((error) => {
    const { code, location } = error
    if (!unknown.has(location)) return [error]
    // `id[]=1&id[]=2`: the error of the first has the values of all.
    if (code === 'repeated_parameter') return []
    return [
      createUnknownError(location, pairs, (isExact) =>
        findRemedy(location, pairs, addressed, isExact),
      ),
    ]
  })
  throwErrors({ errors: described, more })
}

/** Finds the name of the type that a client means; `undefined` for none. */
function findName(name: string, { resource }: AddressedList, isExact: boolean): string | undefined {
  const fields = [...resource.fields.values()].filter(
    (field) => field.is === 'relationship' || (field.is === 'attribute' && field.isFilterable),
  )
  const names = ['id', ...fields.map((field) => field.name), ...resource.queries.keys()]
  if (names.includes(name) || findParameter(resource, name) !== -1) return name
  return isExact || name.length < 3 ? undefined : findNearest(name, names)
}

function findRemedy(
  parameter: string,
  pairs: ParsedQuery['pairs'],
  list: AddressedList,
  isExact: boolean,
): FieldRemedy | undefined {
  const texts = pairs.filter(([name]) => name === parameter).map(([, value]) => value)
  const found = findFieldFilter(parameter, texts, (name) => findName(name, list, isExact))
  if (found === undefined)
    return isExact && /^(?:fields?|select|only)(?:\[\])?$/i.test(parameter)
      ? { form: formatParameter(`fields[${list.resource.type}]`, texts.join(',')) }
      : undefined
  return list.isMany
    ? tryFilter(found, list)
    : { problem: 'this URL returns one resource, and only collections can be filtered' }
}

/** Plans the filter, so that what is said about it holds. */
function tryFilter(
  { name: parameter, texts }: NonNullable<ReturnType<typeof findFieldFilter>>,
  { resource, planner: { model } }: AddressedList,
): FieldRemedy | undefined {
  const filter = parseFieldFilterName(parameter)
  if (filter === undefined) return undefined
  const clauses = filter.isList
    ? [parseFieldFilter(parameter, filter, { is: 'texts', texts })]
    : texts.map((text) => parseFieldFilter(parameter, filter, { is: 'text', text }))
  const errors = emptyCollector()
  attempt(() => planFilter(clauses, resource, model, { values: [], textParameters: [] }), errors)
  // Others are about parameters of a table function that are not sent here.
  const own = errors.errors.find(({ location }) => location === parameter)
  if (own) return { problem: own.message.replace(/\.$/, '') }
  return { form: texts.map((text) => formatParameter(parameter, text)).join('&') }
}

import * as fc from 'fast-check'

/** A request that may name what a client must not know of. */
export interface NamingRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Names that the service tells of, by which a request may succeed. */
const knownNames = [
  ...[
    'id',
    'name',
    'email',
    'birth_date',
    'gender',
    'display_name',
    'computers',
    'serial',
    'owner',
  ],
  ...['owner__name', 'computers__serial', 'owner.name', 'computers.owner'],
] as const

const operators = [
  ...['any', 'between', 'endswith', 'eq', 'ge', 'gt', 'has', 'ilike', 'in_', 'is_', 'isnot', 'le'],
  ...['like', 'lt', 'match', 'ne', 'notilike', 'notin_', 'notlike', 'startswith'],
] as const

/**
 * Requests of every kind in which every name, wherever the grammar has one, is either known or one of those given.
 *
 * @param names - the names under suspicion; they are also tried behind `owner__`, `owner.` and their likes
 * @param values - what filters compare with
 * @param written - what bodies set attributes to
 */
export function anyNaming(
  names: readonly string[],
  values: readonly unknown[],
  written: readonly unknown[],
): fc.Arbitrary<NamingRequest> {
  const name = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom(...names.flatMap(behind)) },
    { weight: 3, arbitrary: fc.constantFrom(...knownNames) },
  )
  const value = fc.constantFrom(...values)
  const reading = fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD'),
    path: fc.constantFrom(
      ...['/persons', '/persons', '/computers', '/computers', '/persons/1', '/computers/1'],
      ...['/persons/1/computers', '/computers/1/owner', '/persons/1/relationships/computers'],
    ),
    query: anyQuery(name, value, true),
  })
  return fc.oneof(
    { weight: 4, arbitrary: reading },
    { weight: 1, arbitrary: anyWrite(name, fc.constantFrom(...written)) },
  )
}

/** Requests that sort by a name, first, last, or through the owner. */
export function anySorting(name: string): fc.Arbitrary<NamingRequest> {
  return fc
    .tuple(
      fc.constantFrom('/persons', '/computers', '/persons/1/computers', '/persons/1'),
      fc.constantFrom(
        name,
        `-${name}`,
        `id,${name}`,
        `name,-${name}`,
        `owner.${name}`,
        `${name},${name}`,
      ),
    )
    .map(([path, sort]) => ({ method: 'GET', path, query: { sort } }))
}

function behind(name: string): string[] {
  return [
    'owner__',
    'computers__',
    'computers__owner__',
    'owner.',
    'computers.',
    'owner.computers.',
  ].map((path) => path + name)
}

type Names = fc.Arbitrary<string>

function anyQuery(
  name: Names,
  value: fc.Arbitrary<unknown>,
  filtered: boolean,
): fc.Arbitrary<Record<string, unknown>> {
  const list = fc.array(name, { minLength: 1, maxLength: 3 }).map((some) => some.join(','))
  const sort = fc.tuple(fc.constantFrom('', '-'), list).map(([sign, names]) => sign + names)
  const fields = fc
    .tuple(fc.oneof({ weight: 5, arbitrary: fc.constantFrom('person', 'computer') }, name), list)
    .map(([type, names]) => ({ [`fields[${type}]`]: names }))
  const simple = fc
    .tuple(name, value)
    .map(([field, wanted]) => ({ [`filter[${field}]`]: String(wanted) }))
  const part: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
    fields,
    sort.map((names) => ({ sort: names })),
    list.map((include) => ({ include })),
    ...(filtered ? [simple, anyFilter(name, value).map((filter) => ({ filter: [filter] }))] : []),
    name.map((parameter) => ({ [`page[${parameter}]`]: '1' })),
  )
  const weighted = fc.oneof(
    { weight: 3, arbitrary: fc.array(part, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(part, { minLength: 2, maxLength: 3 }) },
  )
  return weighted.map((parts) => Object.assign({}, ...parts))
}

function anyFilter(name: Names, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const list = fc.array(value, { minLength: 2, maxLength: 2 })
  return fc.letrec((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      fc
        .record({ name, op: fc.constantFrom(...operators), val: fc.oneof(value, list) })
        .map(fitting),
      fc.record({ name, op: fc.constantFrom('eq', 'gt', 'like', 'is_'), field: name }),
      tie('filter').map((not) => ({ not })),
      fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((or) => ({ or })),
      fc.record({ name: fc.constant('computers'), op: fc.constant('any'), val: tie('filter') }),
      fc.record({ name: fc.constant('owner'), op: fc.constant('has'), val: tie('filter') }),
    ),
  })).filter
}

/** Gives lists to the operators that take them, and to no others, so that a fair share of filters is valid. */
function fitting(clause: { name: string; op: string; val: unknown }): unknown {
  const wantsList = ['between', 'in_', 'notin_'].includes(clause.op)
  const [first] = [clause.val].flat()
  return { ...clause, val: wantsList ? [first, first] : first }
}

function anyWrite(name: Names, value: fc.Arbitrary<unknown>): fc.Arbitrary<NamingRequest> {
  const linkage = fc.constantFrom(null, [], { type: 'person', id: '1' }, [
    { type: 'computer', id: '1' },
  ])
  const extra = fc.oneof(
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.dictionary(name, value, { maxKeys: 2 }) },
  )
  const links = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        name,
        linkage.map((data) => ({ data })),
        { maxKeys: 1 },
      ),
    },
  )
  const target = fc.constantFrom(
    ['POST', '/persons', 'person', { name: 'Grace' }],
    ['PATCH', '/persons/1', 'person', {}],
    ['POST', '/computers', 'computer', { serial: 'S' }],
    ['PATCH', '/computers/1', 'computer', {}],
  ) satisfies fc.Arbitrary<[string, string, string, object]>
  return fc
    .tuple(
      target,
      extra,
      links,
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: anyQuery(name, value, false) },
      ),
    )
    .map(([[method, path, type, least], attributes, relationships, query]) => ({
      method,
      path,
      query,
      body: {
        data: { type, id: '1', attributes: { ...least, ...attributes }, relationships },
      },
    }))
}

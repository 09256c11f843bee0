import * as fc from 'fast-check'
import { atomicMediaType } from '../../src/model/media-types.ts'

/** A request that may contain hidden names. */
export interface NamingRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The parts of random requests. */
interface Vocabulary {
  /** The hidden names. They are also used after `owner__`, `owner.` and similar prefixes. */
  readonly suspects: readonly string[]
  /** The operands of filters. */
  readonly operands: readonly unknown[]
  /** The values of attributes in bodies. */
  readonly written: readonly unknown[]
}

type TypeName = 'person' | 'computer'

/** The valid names by type and position in the grammar, so that some requests succeed. */
const known = {
  person: {
    filter: ['id', 'name', 'email', 'birth_date', 'gender', 'computers__serial', 'computers'],
    sort: ['id', 'name', 'birth_date', 'gender'],
    fields: ['name', 'email', 'birth_date', 'gender', 'display_name', 'computers'],
    include: ['computers', 'computers.owner'],
    attributes: ['name', 'email', 'gender', 'birth_date', 'display_name'],
    relationships: ['computers'],
  },
  computer: {
    filter: ['id', 'serial', 'owner__name', 'owner__email', 'owner__id', 'owner'],
    sort: ['id', 'serial', 'owner.name', 'owner.gender'],
    fields: ['serial', 'owner'],
    include: ['owner', 'owner.computers'],
    attributes: ['serial'],
    relationships: ['owner'],
  },
} as const satisfies Record<TypeName, Record<string, readonly string[]>>

const operators = [
  ...['any', 'between', 'endswith', 'eq', 'ge', 'gt', 'has', 'ilike', 'in_', 'is_', 'isnot', 'le'],
  ...['like', 'lt', 'match', 'ne', 'notilike', 'notin_', 'notlike', 'startswith'],
] as const

const paths = {
  person: ['/persons', '/persons', '/persons', '/persons/1', '/computers/1/owner'],
  computer: ['/computers', '/computers', '/persons/1/computers', '/computers/1'],
} as const satisfies Record<TypeName, readonly string[]>

/** Requests of every kind in which each name may be a hidden one. */
export function anyNaming(vocabulary: Vocabulary): fc.Arbitrary<NamingRequest> {
  const reading = (type: TypeName) =>
    fc.record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      path: fc.constantFrom(...paths[type]),
      query: anyQuery(type, vocabulary, true),
    })
  return fc.oneof(
    { weight: 4, arbitrary: reading('person') },
    { weight: 4, arbitrary: reading('computer') },
    { weight: 1, arbitrary: anyWrite('person', vocabulary) },
    { weight: 1, arbitrary: anyWrite('computer', vocabulary) },
    { weight: 2, arbitrary: anyBatch(vocabulary) },
  )
}

/** Header fields of writes. */
const anyHeaders = fc.record(
  {
    prefer: fc.constantFrom('dry-run', 'max-affected=1', 'return=minimal'),
    'idempotency-key': fc.constantFrom('"a"', '"b"'),
  },
  { requiredKeys: [] },
)

/** Batches of creates and updates, some with conditions. */
function anyBatch(vocabulary: Vocabulary): fc.Arbitrary<NamingRequest> {
  const writes = fc.oneof(anyWrite('person', vocabulary), anyWrite('computer', vocabulary))
  const operation = fc
    .tuple(writes, fc.constantFrom({}, {}, { meta: { ifMatch: '*' } }, { meta: { ifMatch: 'x' } }))
    .map(([{ method, body }, condition]) => {
      const { data } = body as { data: { id: string } }
      const { id: _, ...created } = data
      return method === 'POST' ? { op: 'add', data: created } : { op: 'update', data, ...condition }
    })
  return fc
    .tuple(fc.array(operation, { minLength: 1, maxLength: 3 }), anyHeaders)
    .map(([operations, headers]) => ({
      ...{ method: 'POST', path: '/operations', query: {} },
      body: { 'atomic:operations': operations },
      headers: { ...headers, 'content-type': atomicMediaType },
    }))
}

/** Requests that sort by a name, first, last, or through the owner. */
export function anySorting(name: string): fc.Arbitrary<NamingRequest> {
  return fc
    .tuple(
      fc.constantFrom('/persons', '/computers', '/persons/1/computers', '/persons/1'),
      fc.constantFrom(name, `-${name}`, `id,${name}`, `name,-${name}`, `owner.${name}`),
    )
    .map(([path, sort]) => ({ method: 'GET', path, query: { sort } }))
}

/** A valid name of the position, or a hidden one, alone or after a relationship. */
function anyName(
  type: TypeName,
  place: keyof (typeof known)[TypeName],
  { suspects }: Vocabulary,
): fc.Arbitrary<string> {
  const prefixes = ['owner__', 'computers__', 'computers__owner__', 'owner.', 'computers.owner.']
  return fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom<string>(...known[type][place]) },
    { weight: 1, arbitrary: fc.constantFrom(...suspects) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...prefixes.flatMap((prefix) => suspects.map((name) => prefix + name)),
      ),
    },
  )
}

function anyQuery(
  type: TypeName,
  vocabulary: Vocabulary,
  filtered: boolean,
): fc.Arbitrary<Record<string, unknown>> {
  const some = (place: 'sort' | 'fields' | 'include', of: TypeName = type) =>
    fc
      .uniqueArray(anyName(of, place, vocabulary), { minLength: 1, maxLength: 2 })
      .map((names) => names.join(','))
  const suspect = fc.constantFrom(...vocabulary.suspects)
  const value = fc.constantFrom(...vocabulary.operands).map(String)
  const parts: fc.Arbitrary<Record<string, unknown>>[] = [
    fc.tuple(fc.constantFrom('', '-'), some('sort')).map(([sign, sort]) => ({ sort: sign + sort })),
    some('include').map((include) => ({ include })),
    some('fields', 'person').map((names) => ({ 'fields[person]': names })),
    some('fields', 'computer').map((names) => ({ 'fields[computer]': names })),
    suspect.map((name) => ({ [`fields[${name}]`]: 'id' })),
    suspect.map((name) => ({ [`page[${name}]`]: '1' })),
  ]
  if (filtered) {
    const name = anyName(type, 'filter', vocabulary)
    const filter = anyFilter(type, vocabulary, 2).map((one) => ({ filter: [one] }))
    parts.push(filter, filter, filter, filter, filter)
    parts.push(fc.tuple(name, value).map(([field, text]) => ({ [`filter[${field}]`]: text })))
  }
  return fc
    .array(fc.oneof(...parts), { minLength: 1, maxLength: 2 })
    .map((all) => Object.assign({}, ...all))
}

function anyFilter(type: TypeName, vocabulary: Vocabulary, depth: number): fc.Arbitrary<unknown> {
  const name = anyName(type, 'filter', vocabulary)
  const value = fc.constantFrom(...vocabulary.operands)
  const clause = fc.oneof(
    fc.tuple(name, fc.constantFrom(...operators), value).map(fitting),
    fc.record({ name, op: fc.constantFrom('eq', 'gt', 'like', 'is_'), field: name }),
  )
  if (depth === 0) return clause
  const [follow, there] =
    type === 'person' ? (['any', 'computer'] as const) : (['has', 'person'] as const)
  const inner = anyFilter(type, vocabulary, depth - 1)
  const nested = anyFilter(there, vocabulary, depth - 1)
  return fc.oneof(
    { weight: 3, arbitrary: clause },
    { weight: 1, arbitrary: inner.map((not) => ({ not })) },
    { weight: 1, arbitrary: fc.tuple(inner, inner).map((or) => ({ or })) },
    {
      weight: 1,
      arbitrary: nested.map((val) => ({ name: known[type].relationships[0], op: follow, val })),
    },
  )
}

/** Gives each operator a value of its form, so that many of the filters are valid. */
function fitting([name, op, val]: [string, string, unknown]): unknown {
  if (op === 'any' || op === 'has') return { name, op }
  return { name, op, val: ['between', 'in_', 'notin_'].includes(op) ? [val, val] : val }
}

function anyWrite(type: TypeName, vocabulary: Vocabulary): fc.Arbitrary<NamingRequest> {
  const linkage = fc.constantFrom(null, [], { type: 'person', id: '1' }, [
    { type: 'computer', id: '1' },
  ])
  const anyMembers = (place: 'attributes' | 'relationships', value: fc.Arbitrary<unknown>) =>
    fc.oneof(
      fc.constant({}),
      fc.dictionary(anyName(type, place, vocabulary), value, { maxKeys: 2 }),
    )
  const required = type === 'person' ? { name: 'Grace' } : { serial: 'S' }
  return fc
    .record({
      isNew: fc.boolean(),
      attributes: anyMembers('attributes', fc.constantFrom(...vocabulary.written)),
      relationships: anyMembers(
        'relationships',
        linkage.map((data) => ({ data })),
      ),
      query: fc.oneof(fc.constant({}), anyQuery(type, vocabulary, false)),
      headers: fc.oneof(fc.constant({}), anyHeaders),
    })
    .map(({ isNew, attributes, relationships, query, headers }) => ({
      headers,
      method: isNew ? 'POST' : 'PATCH',
      path: `/${type}s${isNew ? '' : '/1'}`,
      query,
      body: {
        data: {
          ...{ type, id: '1', relationships },
          attributes: { ...(isNew && required), ...attributes },
        },
      },
    }))
}

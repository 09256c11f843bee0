import * as fc from 'fast-check'
import { brokenJson, unknownName, unusualJson } from '../unusual-values.ts'
import { collectionPaths, type MalformedRequest, validPaths } from './malformed-request.ts'
import { mutationsOf, truncationsOf } from './mutate.ts'

/** GET requests with malformed query strings; most are certainly invalid. */
export function anyBadQuery(): fc.Arbitrary<MalformedRequest> {
  const good = fc.constantFrom('sort=id', 'page[size]=3', 'page%5Bnumber%5D=1', 'fields[person]=')
  const bad = fc.oneof(unknownParameter, badSort, badPage, badInclude, badFields, repeated)
  const isInvalid = fc
    .tuple(fc.array(good, { maxLength: 2 }), bad, fc.array(bad, { maxLength: 2 }))
    .map(([before, one, others]) => [...before, one, ...others].join('&'))
  const anything = fc
    .array(unusualPart, { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('&'))
  return fc.oneof(
    { weight: 3, arbitrary: getting(validPaths, isInvalid, true) },
    { weight: 2, arbitrary: getting(validPaths, anything, false) },
  )
}

/** GET requests with malformed filters: not JSON, of another structure, with unknown names, or nested too deep. */
export function anyBadFilter(): fc.Arbitrary<MalformedRequest> {
  const isInvalid = fc.oneof(
    { weight: 2, arbitrary: brokenJson },
    { weight: 2, arbitrary: truncationsOf(validFilter) },
    { weight: 2, arbitrary: unusualJson.filter((text) => !text.startsWith('[')) },
    { weight: 4, arbitrary: invalidFilter.map((filter) => JSON.stringify([filter])) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...invalidIds)
        .map((val) => `[{"name":"id","op":"eq","val":${val}}]`),
    },
  )
  const simple = fc.oneof(
    unknownName.map((name) => `filter[${encode(name)}]=1`),
    unknownName.map((name) => `filter[owner__${encode(name)}]=1`),
    fc
      .constantFrom('x', '1.5', '', 'null', '1e3', '9223372036854775808')
      .map((id) => `filter[id]=${id}`),
  )
  return fc.oneof(
    { weight: 4, arbitrary: getting(collectionPaths, filterOf(isInvalid), true) },
    {
      weight: 1,
      arbitrary: getting(
        collectionPaths,
        deep.map((text) => `filter=${text}`),
        true,
      ),
    },
    { weight: 1, arbitrary: getting(collectionPaths, simple, true) },
    { weight: 4, arbitrary: getting(collectionPaths, filterOf(mutationsOf(validFilter)), false) },
    { weight: 1, arbitrary: getting(collectionPaths, filterOf(longList), false) },
  )
}

const unknownParameter = fc.oneof(
  unknownName.filter((name) => name !== '').map((name) => `${encode(name)}=1`),
  unknownName.map((name) => `page[${encode(name)}]=1`),
  fc.constantFrom(
    ...['include[]=owner', 'sort[]=id', 'fields=name', 'page=1', 'page[size][]=1', 'filter[]=1'],
    ...['filter[name][eq]=1', 'fields[]=id', 'Sort=id', 'filter[=1', 'filter]=1', '=1', '=', 'q'],
    ...['page[size', 'sort%00=id', '%FF=1', 'a%', 'sort=%ff', 'include=%C0%AF', 'sort=%ed%a0%80'],
  ),
)

const badSort = fc.oneof(
  unknownName.filter((name) => name !== '').map((name) => `sort=${encode(name)}`),
  unknownName.map((name) => `sort=id,-${encode(name)}`),
  fc.constantFrom('sort=-', 'sort=--id', 'sort=id,', 'sort=,', 'sort=id.x', 'sort=display_name'),
)

const badPage = fc
  .tuple(
    fc.constantFrom('size', 'number'),
    fc.constantFrom(
      ...[
        '-1',
        '1.5',
        '0x10',
        '1e3',
        'NaN',
        'Infinity',
        'null',
        '%D9%A1',
        '1,2',
        '[]',
        '--1',
        'ten',
      ],
      ...['1%00', '1;2', "1'", '%EF%BC%91'],
    ),
  )
  .map(([name, value]) => `page[${name}]=${value}`)

const badInclude = fc.oneof(
  unknownName.filter((name) => name !== '').map((name) => `include=${encode(name)}`),
  unknownName.map((name) => `include=owner.${encode(name)}`),
  fc.constantFrom('include=,', 'include=.', 'include=owner.', 'include=.owner', 'include=owner..x'),
)

const badFields = fc.oneof(
  unknownName.map((name) => `fields[${encode(name)}]=id`),
  unknownName.filter((name) => name !== '').map((name) => `fields[person]=${encode(name)}`),
  unknownName
    .filter((name) => name !== '')
    .map((name) => `fields[computer]=serial,${encode(name)}`),
)

const repeated = fc
  .constantFrom('sort=id', 'page[size]=1', 'include=', 'fields[person]=', 'filter=[]')
  .map((parameter) => `${parameter}&${parameter}`)

/** Parts of a query string that may be valid. */
const unusualPart = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'sort',
        'include',
        'page[size]',
        'page[number]',
        'fields[person]',
        'filter',
        'filter[name]',
      ),
      fc.oneof(
        unknownName.map(encode),
        unusualJson.map(encode),
        fc.constantFrom('', 'id', '%', '%zz', '%00', '9'.repeat(400), '18446744073709551616'),
      ),
    )
    .map(([name, value]) => `${name}=${value}`),
  fc.constantFrom(
    '',
    '&',
    ';',
    '?',
    '=',
    '==',
    '[',
    ']',
    '[]',
    '%5B%5D',
    'sort',
    '+',
    'a=b=c',
    '#',
  ),
)

/** Valid filters, from which malformed ones are made. */
const validFilter: fc.Arbitrary<unknown> = fc.constantFrom(
  [
    { name: 'id', op: 'ge', val: 1 },
    {
      not: {
        or: [
          { name: 'id', op: 'in_', val: ['1', 2, null] },
          { name: 'id', op: 'eq', field: 'id' },
        ],
      },
    },
  ],
  [
    { name: 'name', op: 'between', val: ['a', 'b'] },
    {
      name: 'computers',
      op: 'any',
      val: { and: [{ name: 'owner__name', op: 'ilike', val: '%a%' }] },
    },
  ],
  [
    { name: 'owner', op: 'has', val: [{ name: 'birth_date', op: 'lt', val: '2000-01-01' }] },
    { name: 'owner', op: 'isnot', val: null },
    { name: 'serial', op: 'match', val: 'a' },
  ],
)

const comparison = { name: 'id', op: 'eq', val: '1' }

/** Filters that are always invalid. */
const invalidFilter: fc.Arbitrary<unknown> = fc.oneof(
  unknownName.map((name) => ({ ...comparison, name })),
  unknownName.map((op) => ({ ...comparison, op })),
  unknownName.map((field) => ({ name: 'id', op: 'eq', field })),
  unknownName.map((name) => ({ ...comparison, name: `owner__${name}` })),
  unknownName.map((name) => ({ name, op: 'any', val: comparison })),
  unknownName.map((name) => ({ not: { ...comparison, name } })),
  fc.constantFrom(
    ...[
      null,
      1,
      'name',
      true,
      [],
      {},
      [comparison],
      { and: [] },
      { or: [] },
      { not: [] },
      { not: null },
    ],
    ...[
      { and: comparison },
      { or: {} },
      { or: [null] },
      { and: [1] },
      { not: 'x' },
      { name: 'id' },
    ],
    ...[
      { op: 'eq', val: 1 },
      { name: 1, op: 'eq', val: 1 },
      { name: 'id', op: 1, val: 1 },
    ],
    ...[
      { name: ['id'], op: 'eq', val: 1 },
      { name: 'id', op: ['eq'], val: 1 },
      { name: {}, op: {} },
    ],
    ...[
      { name: 'id', op: 'eq', val: {} },
      { name: 'id', op: 'eq', val: [1] },
      { name: 'id', op: 'in_', val: 1 },
    ],
    ...[
      { name: 'id', op: 'between', val: [1] },
      { name: 'id', op: 'between', val: [1, 2, 3] },
    ],
    ...[
      { name: 'id', op: 'in_', val: [[]] },
      { name: 'id', op: 'in_', val: [{}] },
    ],
    ...[
      { name: 'id', op: 'eq', val: true },
      { name: 'id', op: 'eq', val: 1.5 },
    ],
    ...[
      { name: 'id', op: 'eq', field: 1 },
      { name: 'id', op: 'eq', field: null },
    ],
    ...[
      { name: 'id', op: 'like', val: '1' },
      { name: 'id', op: 'any', val: comparison },
    ],
    ...[
      { name: '__', op: 'eq', val: 1 },
      { name: 'id__', op: 'eq', val: 1 },
      { name: '__id', op: 'eq', val: 1 },
    ],
  ),
)

/** JSON of values that are not ids. */
const invalidIds = [
  '"\\ud800"',
  '"1\\u0000"',
  '18446744073709551616',
  '1e999',
  '"-0"',
  '"0x1"',
  '"١"',
  '" 1"',
]

/** Filters nested deeper than the service follows; sent raw, for encoded they would be too long to arrive. */
const deep = fc.integer({ min: 101, max: 1700 }).chain((depth) => {
  const inner = JSON.stringify(comparison)
  return fc.constantFrom(
    `[${'{"not":'.repeat(depth)}${inner}${'}'.repeat(depth)}]`,
    `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`,
    `${'['.repeat(depth * 4)}18446744073709551616${']'.repeat(depth * 4)}`,
  )
})

const longList = fc
  .integer({ min: 100, max: 1500 })
  .map((length) =>
    JSON.stringify([{ name: 'id', op: 'in_', val: Array.from({ length }, (_, i) => i) }]),
  )

function filterOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((text) => `filter=${encode(text)}`)
}

function getting(
  paths: readonly string[],
  queries: fc.Arbitrary<string>,
  isInvalid: boolean,
): fc.Arbitrary<MalformedRequest> {
  return fc
    .tuple(fc.constantFrom(...paths), queries)
    .map(([path, query]) => ({ method: 'GET', path, query, isInvalid }))
}

/** Percent-encodes a text; half a surrogate pair, which has no UTF-8, goes as the bytes of a careless encoder. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80'
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toErrorList } from '../../../src/errors/collector.ts'
import { type Operator, operators } from '../../../src/model/kinds/operators.ts'
import { getResourceType } from '../../../src/model/model.ts'
import { parseFieldFilterName } from '../../../src/parse/filter.ts'
import { parseQuery } from '../../../src/parse/query.ts'
import { autoParameterize } from '../../../src/plan/cache/auto-parameterization.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { planCollection, type ReadPlan } from '../../../src/plan/read.ts'
import { isExhaustive, seed } from '../../property/seed.ts'
import { library } from '../library.ts'

const resource = getResourceType(library, 'book')
const planner = createPlanner(library)

function plan(search: string): ReadPlan {
  return planCollection(planner, parseQuery(search), { resource })
}

/** The visible result of planning a query: the plan, or all its errors. */
function resultOf(planQuery: (search: string) => ReadPlan, search: string): unknown {
  try {
    const { textParameters, shape, ...rest } = planQuery(search)
    const numbers = textParameters.map(({ parameter }) => parameter)
    return { ...rest, shape: JSON.stringify(shape), textParameters: numbers }
  } catch (error) {
    return (
      toErrorList(error)?.errors.map(({ code, location, message }) => [code, location, message]) ??
      error
    )
  }
}

/** Few names, so that templates repeat; the texts contain everything that a template could confuse with its own syntax. */
const names = [
  'title',
  'pages',
  'id',
  'price',
  'lent',
  'author',
  'author__id',
  'author__born',
  'author.born',
  'title][like',
  'pages][gt',
  'pages][is_',
  'id][',
  'title][',
  'no',
]
const texts = [
  '1',
  '-2',
  '007',
  '1e3',
  'true',
  '2020-02-30',
  '1999-12-31',
  'null',
  '1,2',
  'a_b-c',
  'é',
  '',
  '%00',
  'a%20b',
  'a=b',
  '%',
  '9'.repeat(30),
]
const parameters = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('filter[@]', 'filter%5B@%5D', 'filter%5b@%5d', 'FILTER[@]', 'fields[@]'),
        fc.constantFrom(...names),
        fc.constantFrom(...texts),
      )
      .map(([template, name, text]) => `${template.replace('@', name)}=${text}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'page[size]=2',
      'page[number]=3',
      'page[number]=x',
      'sort=-title',
      'include=author',
      'filter=[{"name":"pages","op":"gt","val":7}]',
      'filter=[{"name":"title","op":"eq","val":"%00"}]',
      'filter[title]',
      '',
    ),
  },
)
/** Random queries, and two templates with every pair of texts. */
const query = fc.oneof(
  fc.array(parameters, { maxLength: 4 }).map((all) => all.join('&')),
  fc
    .tuple(
      fc.constantFrom(
        'filter[pages]=1&filter[author__id]=2',
        'filter[id]=1&sort=id&filter[lent]=2',
        'filter[id][]=1&filter[title]=a%20b&filter[title]=b%20c&filter[id][]=2',
      ),
      fc.constantFrom(...texts),
      fc.constantFrom(...texts),
    )
    .map(([template, one, other]) => template.replace('1', () => one).replace(/2$/, () => other)),
)

/** Random queries: more in `npm run test:long`. */
const runs = isExhaustive ? 20_000 : 4000

describe('Auto-parameterization', () => {
  it('given any query, when a template serves it, then the plan or the errors are those of planning it afresh', () => {
    const planQuery = autoParameterize(plan)
    fc.assert(
      fc.property(query, (search) => {
        assert.deepEqual(resultOf(planQuery, search), resultOf(plan, search))
      }),
      { numRuns: runs, seed },
    )
  })

  it('given queries that differ only in texts, when they are planned, then planning runs once', () => {
    let planned = 0
    const planQuery = autoParameterize((search) => {
      planned += 1
      return plan(search)
    })
    for (let id = 1; id <= 1000; id += 1) {
      const search = `filter[author__id]=${id}&page[size]=5&filter%5Btitle%5D=t${id}`
      assert.deepEqual(planQuery(search).values, [String(id), `t${id}`])
    }
    assert.equal(planned, 1)
  })

  it('given a query that a template cannot serve, when it repeats, then each request is planned', () => {
    let planned = 0
    // A plan whose text parameters do not match the texts of the query.
    const planQuery = autoParameterize(() => {
      planned += 1
      return plan('filter[title]=a&filter[id]=1')
    })
    for (const search of [
      'filter[title]=a%20b&filter[id]=1',
      'filter[a]=1&filter[b]=2&filter[c]=%00',
    ]) {
      planned = 0
      for (let time = 1; time <= 4; time += 1) planQuery(search)
      assert.ok(planned >= 4, search)
    }
  })

  it('given templates of long queries, when the cache exceeds its size, then the least recently used are evicted', () => {
    let planned = 0
    const planQuery = autoParameterize((search) => {
      planned += 1
      return plan(search)
    })
    const templates = Array.from({ length: 200 }, (_, number) => `page[number]=${number + 1}`)
    for (const template of templates) planQuery(`${template}&filter[title]=${'a'.repeat(9_950)}`)
    assert.equal(planned, 200)
    const countPlanned = (some: readonly string[]): number => {
      planned = 0
      for (const template of some.toReversed()) planQuery(`${template}&filter[title]=c`)
      return planned
    }
    assert.equal(countPlanned(templates.slice(-90)), 0)
    assert.equal(countPlanned(templates.slice(0, 90)), 90)
  })
})

/** One cached plan serves every text of `filter[name]=text`, so nothing but a parameter may depend on the text. */
describe('The operator of filter[name]=text', () => {
  it('is eq', () => {
    assert.equal(parseFieldFilterName('filter[title]')?.operator, 'eq')
  })

  it('takes one value and has the same SQL for every value', () => {
    const { takes, requires, simpler, pattern }: Operator = operators.eq
    assert.equal(takes, 'one')
    assert.equal(simpler, undefined, 'SQL that depends on the value')
    assert.equal(pattern, undefined, 'a pattern, whose syntax and limits depend on the value')
    assert.notEqual(
      requires,
      'textual',
      'a text search, whose operand is not of the kind of the field',
    )
  })

  for (const name of ['title', 'pages', 'id', 'price', 'lent', 'author__id', 'author__born']) {
    it(`has one query shape for every text of ${name}, and one parameter, that of the text`, () => {
      const shapes = new Set<unknown>()
      // Of most kinds, a text with a comma has several values.
      for (const text of texts.filter((each) => !each.includes(','))) {
        const result = resultOf(plan, `filter[${name}]=${encodeURIComponent(text)}`)
        // The kind of the field rejects the text.
        if (Array.isArray(result)) continue
        const { shape, values, textParameters } = plan(
          `filter[${name}]=${encodeURIComponent(text)}`,
        )
        shapes.add(shape)
        assert.equal(values.length, 1)
        assert.notEqual(values[0], null, 'a text that means null')
        assert.deepEqual(
          textParameters.map(({ parameter, read }) => [parameter, read(text)]),
          [[0, values[0]]],
        )
      }
      assert.equal(shapes.size, 1)
    })
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { errorsIn } from '../../src/errors/collector.ts'
import { typeNamed } from '../../src/model/model.ts'
import { readQuery } from '../../src/parse/query.ts'
import { planCollection, type ReadPlan } from '../../src/plan/read.ts'
import { byTemplate } from '../../src/plan/template.ts'
import { seed } from '../property/seed.ts'
import { library } from './library.ts'

const resource = typeNamed(library, 'book')

function plan(search: string): ReadPlan {
  return planCollection(library, readQuery(search), { resource })
}

/** What a planner makes of a query, as far as it can be seen: the plan, or everything that is wrong. */
function made(planner: (search: string) => ReadPlan, search: string): unknown {
  try {
    const { texts, shape, ...told } = planner(search)
    return { ...told, shape: JSON.stringify(shape), texts: texts.map(({ slot }) => slot) }
  } catch (error) {
    return (
      errorsIn(error)?.errors.map(({ code, where, message }) => [code, where, message]) ?? error
    )
  }
}

/** Few enough that forms come again, and with all that a text may be mistaken for. */
const names = [
  'title',
  'pages',
  'id',
  'price',
  'lent',
  'author',
  'author__id',
  'author__born',
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
  'a_b-c',
  'é',
  '',
  '%00',
  'a%20b',
  'a=b',
  '%',
  '9'.repeat(30),
]
const parts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('filter[@]', 'filter%5B@%5D', 'filter%5b@%5d', 'FILTER[@]', 'fields[@]'),
        fc.constantFrom(...names),
        fc.constantFrom(...texts),
      )
      .map(([form, name, text]) => `${form.replace('@', name)}=${text}`),
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
/** Some of every sort, and more of a few forms, which come with all pairs of texts. */
const query = fc.oneof(
  fc.array(parts, { maxLength: 4 }).map((all) => all.join('&')),
  fc
    .tuple(
      fc.constantFrom(
        'filter[pages]=1&filter[author__id]=2',
        'filter[id]=1&sort=id&filter[lent]=2',
      ),
      fc.constantFrom(...texts),
      fc.constantFrom(...texts),
    )
    .map(([form, one, other]) => form.replace('1', () => one).replace(/2$/, () => other)),
)

describe('Plans that serve other texts', () => {
  it('are those that planning would make, and refuse what it would', () => {
    const remembered = byTemplate(plan)
    fc.assert(
      fc.property(query, (search) => {
        assert.deepEqual(made(remembered, search), made(plan, search))
      }),
      { numRuns: 20_000, seed },
    )
  })

  it('are planned twice at most', () => {
    let planned = 0
    const remembered = byTemplate((search) => {
      planned += 1
      return plan(search)
    })
    for (let id = 1; id <= 1000; id += 1) {
      const search = `filter[author__id]=${id}&page[size]=5&filter%5Btitle%5D=t${id}`
      assert.deepEqual(remembered(search).values, [String(id), `t${id}`])
    }
    assert.equal(planned, 2)
  })

  it('are planned each time where a form cannot be made', () => {
    let planned = 0
    // A kind of somebody's own may read what ours refuse.
    const remembered = byTemplate(() => {
      planned += 1
      return plan('filter[title]=a&filter[id]=1')
    })
    for (const odd of [
      'filter[title]=a%20b&filter[id]=1',
      'filter[a]=1&filter[b]=2&filter[c]=%00',
    ]) {
      planned = 0
      for (let time = 1; time <= 4; time += 1) remembered(odd)
      assert.ok(planned >= 4, odd)
    }
  })

  it('are bounded with the texts that they were first made for', () => {
    let planned = 0
    const remembered = byTemplate((search) => {
      planned += 1
      return plan(search)
    })
    const forms = Array.from({ length: 200 }, (_, number) => `page[number]=${number + 1}`)
    for (const form of forms)
      for (const letter of ['a', 'b']) remembered(`${form}&filter[title]=${letter.repeat(9_950)}`)
    assert.equal(planned, 400)
    /** How many of some forms have to be planned again. */
    const again = (some: readonly string[]): number => {
      planned = 0
      for (const form of some.toReversed()) remembered(`${form}&filter[title]=c`)
      return planned
    }
    assert.equal(again(forms.slice(-90)), 0)
    assert.equal(again(forms.slice(0, 90)), 90)
  })
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import { engine } from '../engine.ts'

const model = defineModel([
  resource('n', {
    path: '/n',
    table: 'n',
    fields: {
      t: attribute(text),
      a: toOne('n', { column: 'a_id' }),
      b: toOne('n', { column: 'b_id' }),
      c: toMany('n', { column: 'a_id' }),
    },
  }),
])

/** Different paths over `a` and `b`, the shorter ones first, as many as a URL may hold. */
function paths(most: number, end = ''): string {
  const all: string[] = []
  let length = 0
  for (let number = 2; length < most; number += 1) {
    const names = number.toString(2).slice(1).replaceAll('0', 'a').replaceAll('1', 'b')
    const path = [...names].join('.') + end
    all.push(path)
    length += path.length + 1
  }
  return all.join(',')
}

engine(
  'Queries as long as a URL may be',
  {
    isLongOnOthers: true,
    model,
    tables: ({ newId }) => `
      create table n (id ${newId}, t text, a_id bigint references n (id), b_id bigint references n (id));
      create index on_a on n (a_id); create index on_b on n (b_id);
      insert into n (t) values ('one')`,
  },
  (app) => {
    for (const [what, query, code, says] of [
      ['different paths to include', `include=${paths(32_000)}`, 'invalid_include', 'at most 100'],
      ['a path to include', `include=${'a.'.repeat(16_000)}a`, 'invalid_include', 'more than 20'],
      ['paths to sort by', `sort=${paths(32_000, '.t')}`, 'invalid_sort', 'more than 20'],
      ['a path to sort by', `sort=${'a.'.repeat(16_000)}t`, 'invalid_sort', 'more than 20'],
      [
        'a path to filter by',
        `filter[${'a__'.repeat(10_000)}t]=x`,
        'invalid_filter',
        'more than 20',
      ],
    ] as const) {
      it(`are rejected with one error: ${what}`, async () => {
        const response = await app.call('GET', '/n', { query })
        assert.equal(response.status, 400, response.text.slice(0, 1000))
        assert.equal(response.body.errors?.length, 1)
        assert.equal(response.error.code, code)
        assert.ok(response.error.detail.includes(says), response.error.detail.slice(-200))
      })
    }

    for (const [what, query] of [
      ['paths to include', `include=${'a,'.repeat(16_000)}a`],
      ['paths to sort by', `sort=${'t,a.t,'.repeat(5000)}t`],
      ['names of fields', `fields[n]=${'t,a,'.repeat(8000)}t`],
    ] as const) {
      it(`are served if they repeat the same ${what}`, async () => {
        const response = await app.call('GET', '/n', { query })
        assert.equal(response.status, 200, response.text.slice(0, 1000))
        assert.equal(response.many.length, 1)
      })
    }
  },
)

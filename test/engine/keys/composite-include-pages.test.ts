import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { assertStatus } from '../../service/assert-errors.ts'
import { engine } from '../engine.ts'

const order = resource('order', {
  path: '/orders',
  table: 'order',
  id: { column: ['tenant', 'number'], kind: [text, integer], client: 'required' },
  fields: {
    lines: toMany('line', { column: ['tenant', 'order_number'] }),
    tags: toMany('line', {
      through: {
        table: 'tag',
        from: ['order_tenant', 'order_number'],
        to: ['line_tenant', 'line_line'],
      },
    }),
  },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  id: { column: ['tenant', 'line'], kind: [text, integer], client: 'required' },
  pages: { by: 'cursor' },
  fields: {
    word: attribute(text),
    size: attribute(integer),
    order: toOne('order', { column: ['tenant', 'order_number'] }),
  },
})

/** Nine lines with ties and nulls; the texts of their ids have commas, and one word is too long for a cursor. */
const rows = Array.from({ length: 9 }, (_, index) => {
  const word = [null, "'w'", "'x'", `'${'y'.repeat(600)}'`][index % 4]
  return `('a,b', ${index + 1}, ${word}, ${index % 3 === 0 ? 'null' : index % 2}, 1)`
})
const served = {
  model: defineModel([order, line], { secret: 'the secret of the orders' }),
  tables: (_: ColumnTypes) =>
    `
    create table "order" (tenant text not null, number bigint not null, primary key (tenant, number));
    create table line (tenant text not null, line bigint not null, word text, size bigint, order_number bigint, primary key (tenant, line),
      foreign key (tenant, order_number) references "order" (tenant, number));
    create index line_order on line (tenant, order_number);
    create table tag (order_tenant text not null, order_number bigint not null, line_tenant text not null, line_line bigint not null,
      primary key (order_tenant, order_number, line_tenant, line_line));
    create index tag_line on tag (line_tenant, line_line);
    insert into "order" values ('a,b', 1), ('a,b', 2);
    insert into line (tenant, line, word, size, order_number) values ${rows.join(', ')}, ('a,b', 10, 'other', 1, 2);
    insert into tag select 'a,b', 1, tenant, line from line where line < 9`.replaceAll(
      'bigint',
      'integer',
    ),
}

engine('Pages of included members with composite ids', served, ({ get }) => {
  const path = async () => {
    const { many } = await get('/orders')
    const [first] = many
    return `/orders/${encodeURIComponent(String(first?.id))}`
  }
  const sorts = ['id', '-id', 'word', '-word', 'size,-word', '-size,word', '-size,-id']

  for (const name of ['lines', 'tags'])
    for (const sort of sorts)
      it(`walk through all members once, in order: ${name} by ${sort}`, async () => {
        const url = await path()
        const sorted = { include: name, [`includeSort[${name}]`]: sort }
        const list = async (query: Readonly<Record<string, string>>) => {
          const response = await get(url, { ...sorted, ...query })
          assertStatus(response, 200)
          const { data, links } = response.one.relationships?.[name] ?? {}
          return { ids: [data ?? []].flat().map(({ id }) => id), links }
        }
        const all = (await list({})).ids
        assert.equal(all.length, name === 'lines' ? 9 : 8)
        for (const size of [1, 2, 4]) {
          const walked: string[] = []
          let after: string | null = null
          for (let step = 0; step < 12; step += 1) {
            const page = await list({
              [`includePage[${name}][size]`]: String(size),
              ...(after !== null && { [`includePage[${name}][after]`]: after }),
            })
            walked.push(...page.ids)
            const next = page.links?.next
            if (typeof next !== 'string') break
            after = new URL(next, 'http://x').searchParams.get('page[after]')
            assert.ok(after, next)
          }
          assert.deepEqual(walked, all)
        }
      })
})

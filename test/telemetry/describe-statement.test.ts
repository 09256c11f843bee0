import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeSql } from '../../src/telemetry/describe-statement.ts'

// biome-ignore format: a table, one statement a row
const statements: readonly (readonly [sql: string, summary: string, text?: string])[] = [
  ['select "t0"."id" from "person" as "t0" where "t0"."id" = ?', 'SELECT person'],
  ['select 1', 'SELECT', 'select ?'],
  ["select * from a, b as x, c where a.n = 'it''s' and b.m = 1.5e3", 'SELECT a b c', 'select * from a, b as x, c where a.n = ? and b.m = ?'],
  ['select "t0"."a" from "s"."person" as "t0" join "computer" on true left join lateral (select 1 from "part") as p on true', 'SELECT person computer part'],
  ['with recursive n (n) as (select 1 union all select n + 1 from n) select * from n, "book"', 'SELECT book'],
  ['with "page" as materialized (select "id" from "person"), "x" as not materialized (select 1 from "page") select * from "page", "x"', 'SELECT person'],
  ['with "new" as (insert into "person" ("name") values ($1) returning *) select * from "new"', 'INSERT person', 'with "new" as (insert into "person" ("name") values ($1) returning *) select * from "new"'],
  ['insert into "person" ("name") values (?) on conflict ("id") do update set "name" = excluded."name"', 'INSERT person'],
  ['insert or ignore into person select * from old', 'INSERT person old'],
  ['update "person" set "name" = ? from "other" where "id" = ?', 'UPDATE person other'],
  ['delete from only person where id = $1', 'DELETE person'],
  ['select * from person where a is distinct from b for update of person', 'SELECT person'],
  ['select extract(year from born), trim(both from name) from person', 'SELECT person'],
  ['select value from json_each(?) as "owner", "computer" as "t0"', 'SELECT computer'],
  ['select $tag$ from secret $tag$, E\'from hidden\', $1 from person -- from nowhere\n/* from else */ where true', 'SELECT person', 'select ?, ?, $1 from person where true'],
  ['call archive($1)', 'CALL'],
  ['', 'OTHER'],
]

describe('The summary of a statement', () => {
  for (const [sql, summary, text] of statements)
    it(`of ${sql.slice(0, 70)} is ${summary}`, () => {
      const described = describeSql(sql)
      assert.equal(described.summary, summary)
      if (text !== undefined) assert.equal(described.text, text)
    })

  it('has at most 255 characters', () => {
    const tables = Array.from({ length: 100 }, (_, index) => `table_${index}`)
    const { summary } = describeSql(`select * from ${tables.join(', ')}`)
    assert.ok(summary.length <= 255, summary)
    assert.match(summary, /^SELECT table_0 .* table_\d+$/)
  })
})

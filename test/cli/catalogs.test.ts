import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { declarationsOf } from '../../cli/declarations.ts'
import { textOf } from '../../cli/files.ts'
import { assertCompiles, assertTidy, project } from './written.ts'

function column(name: string, type: string, other: Partial<StoredColumn> = {}): StoredColumn {
  return { name, type, nullable: true, hasDefault: name === 'id', writable: true, ...other }
}

function table(
  name: string,
  columns: readonly StoredColumn[],
  other: Partial<StoredTable> = {},
): StoredTable {
  const id = column('id', 'integer', { nullable: false })
  return {
    is: 'table',
    name,
    schema: 'public',
    columns: new Map([id, ...columns].map((each) => [each.name, each])),
    primaryKey: ['id'],
    uniques: [['id']],
    foreignKeys: [],
    ...other,
  }
}

function catalog(...tables: readonly StoredTable[]): Catalog {
  return { dialect: 'sqlite', schema: 'public', tables }
}

/** A key of one column to the ids of a table. */
function key(name: string, to: string, schema: string): ForeignKey {
  return { columns: [name], to: { schema, name: to }, references: ['id'] }
}

describe('What a catalog says beside its tables', () => {
  it('comments become descriptions and doc comments, whatever stands in them', async (test) => {
    const comment = `It's "what" we sell */ and\n  more than that: a text that goes on for longer than a line of code may be, here and there`
    const named = column('name', 'text', { comment: "The customer's\nword for it" })
    const text = textOf(declarationsOf(catalog(table('item', [named], { comment }))))
    const said = comment.replace(/\s+/g, ' ')
    assert.ok(text.includes(`/** ${said.replace('*/', '* /')} */\nexport const item`), text)
    assert.ok(text.includes(`  description:\n    'It\\'s "what" we sell */ and more`), text)
    assert.ok(
      text.includes("    /** The customer's word for it */\n    name: attribute(text),"),
      text,
    )
    const place = await project(test)
    writeFileSync(join(place, 'item.ts'), text)
    assertTidy(place)
    assertCompiles(place)
  })

  it('a table of another schema says so, and tables of one name in two are two types', () => {
    const toItem = key('item_id', 'item', 'stock')
    const toTag = key('tag_id', 'tag', 'public')
    const keys = [column('item_id', 'integer'), column('tag_id', 'integer')]
    const join = { schema: 'stock', foreignKeys: [toItem, toTag], uniques: [['item_id', 'tag_id']] }
    const text = textOf(
      declarationsOf(
        catalog(
          table('item', []),
          table('item', [column('place', 'text')], { schema: 'stock' }),
          table('tag', []),
          table('item_tag', keys, join),
        ),
      ),
    )
    for (const line of [
      "resource('item', {\n  path: '/items',\n  table: 'item',\n  fields",
      "resource('stock_item', {\n  path: '/stock-items',\n  table: 'item',\n  schema: 'stock',",
      "through: { table: 'item_tag', schema: 'stock', from: 'item_id', to: 'tag_id' },",
      "stock_items: toMany('stock_item', {",
    ]) {
      assert.ok(text.includes(line), `${line}\n${text}`)
    }
  })

  it('a value that is listed twice is one', () => {
    const state = column('state', 'text', { values: ['on', 'off', 'on'] })
    const text = textOf(declarationsOf(catalog(table('lamp', [state]))))
    assert.ok(text.includes("state: attribute(enumeration(['on', 'off'])),"), text)
  })
})

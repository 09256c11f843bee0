import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { formatSingleFile } from '../../../cli/introspect/format-files.ts'
import { generateDeclarations } from '../../../cli/introspect/generate-declarations.ts'
import { long } from '../../long-tests.ts'
import { assertCompiles, assertFormatted, createProject } from '../generated-project.ts'

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

/** A foreign key of one column to the id of a table. */
function foreignKey(name: string, to: string, schema: string): ForeignKey {
  return { columns: [name], to: { schema, name: to }, references: ['id'] }
}

describe('Declarations generated from a catalog', () => {
  const comment = `It's "what" we sell */ and\n  more than that: a text that goes on for longer than a line of code may be, here and there`
  const formatCommented = () => {
    const name = column('name', 'text', { comment: "The customer's\nword for it" })
    return formatSingleFile(generateDeclarations(catalog(table('item', [name], { comment }))))
  }

  it('turn comments into descriptions and doc comments, whatever characters they contain', () => {
    const text = formatCommented()
    const oneLine = comment.replace(/\s+/g, ' ')
    assert.ok(text.includes(`/** ${oneLine.replace('*/', '* /')} */\nexport const item`), text)
    assert.ok(text.includes(`  description:\n    'It\\'s "what" we sell */ and more`), text)
    assert.ok(
      text.includes("    /** The customer's word for it */\n    name: attribute(text),"),
      text,
    )
  })

  it('are formatted and compile with such comments', long, async (test) => {
    const project = await createProject(test)
    writeFileSync(join(project, 'item.ts'), formatCommented())
    assertFormatted(project)
    assertCompiles(project)
  })

  it('name the schema of a table, and give two tables of the same name different types', () => {
    const toItem = foreignKey('item_id', 'item', 'stock')
    const toTag = foreignKey('tag_id', 'tag', 'public')
    const keys = [column('item_id', 'integer'), column('tag_id', 'integer')]
    const join = { schema: 'stock', foreignKeys: [toItem, toTag], uniques: [['item_id', 'tag_id']] }
    const text = formatSingleFile(
      generateDeclarations(
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

  it('list a repeated value of an enumeration once', () => {
    const state = column('state', 'text', { values: ['on', 'off', 'on'] })
    const text = formatSingleFile(generateDeclarations(catalog(table('lamp', [state]))))
    assert.ok(text.includes("state: attribute(enumeration(['on', 'off'])),"), text)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plural, singular } from '../../cli/plurals.ts'
import { identifierOf, kebabOf, memberOf, nameOf } from '../../cli/words.ts'

/** Words for one and for many. */
const pairs =
  `album albums, address addresses, alias aliases, analysis analyses, archive archives, batch batches,
  box boxes, branch branches, bus buses, cache caches, campus campuses, canvas canvases, case cases, category categories,
  census censuses, child children, city cities, class classes, clause clauses, company companies, cookie cookies,
  country countries, course courses, crisis crises, criterion criteria, database databases, day days, dish dishes,
  employee employees, entry entries, expense expenses, fee fees, focus focuses, foot feet, gas gases, genre genres,
  half halves, hero heroes, house houses, invoice invoices, key keys, leaf leaves, lens lenses, license licenses, life lives,
  line lines, match matches, matrix matrices, mouse mice, move moves, movie movies, photo photos, process processes,
  purchase purchases, quiz quizzes, response responses, shelf shelves, size sizes, status statuses, tax taxes,
  toe toes, use uses, video videos, virus viruses, warehouse warehouses, wife wives, wish wishes, woman women`
    .split(',')
    .map((pair) => pair.trim().split(/\s+/))

describe('A word', () => {
  it('for one and the word for many are made of each other', () => {
    for (const [one = '', many = ''] of pairs) {
      assert.deepEqual([plural(one), singular(many)], [many, one])
    }
  })

  it('stays what it is when it is asked for twice', () => {
    for (const [one = '', many = ''] of pairs) {
      assert.deepEqual([plural(many), singular(one)], [many, one])
    }
  })

  it('is left alone when nobody counts it', () => {
    for (const word of [
      'news',
      'series',
      'equipment',
      'data',
      'sms',
      'gps',
      'staff',
      'x',
      's',
      '日本',
    ]) {
      assert.equal(singular(word), word)
    }
  })

  it('for many persons may be people, and is made as persons', () => {
    assert.deepEqual(
      [singular('people'), plural('people'), plural('person')],
      ['person', 'people', 'persons'],
    )
  })
})

/** Names of tables and columns, as members of documents, as identifiers and as names of files. */
const names: readonly (readonly [
  stored: string,
  member: string,
  identifier: string,
  file: string,
])[] = [
  ['invoice_line', 'invoice_line', 'invoiceLine', 'invoice-line'],
  ['InvoiceLine', 'invoiceLine', 'invoiceLine', 'invoice-line'],
  ['invoiceLine', 'invoiceLine', 'invoiceLine', 'invoice-line'],
  ['INVOICE_LINE', 'invoiceLine', 'invoiceLine', 'invoice-line'],
  ['HTTPServer', 'httpServer', 'httpServer', 'http-server'],
  ['Order Details', 'orderDetails', 'orderDetails', 'order-details'],
  ['_x__y_', 'x_y', 'xY', 'x-y'],
  ['line2', 'line2', 'line2', 'line2'],
  ['2fa', '2fa', '_2fa', '2fa'],
  ['Größe', 'größe', 'größe', 'grosse'],
  ['日本', '日本', '日本', 'table'],
  ['$', 'unnamed', 'unnamed', 'unnamed'],
]

describe('A name of the database', () => {
  for (const [stored, ...expected] of names) {
    it(`${stored} is written ${expected.join(', ')}`, () => {
      const name = nameOf(stored)
      assert.deepEqual([memberOf(name), identifierOf(name), kebabOf(name)], expected)
    })
  }
})

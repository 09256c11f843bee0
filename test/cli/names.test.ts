import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  parseName,
  pluralize,
  singularize,
  toIdentifier,
  toKebabCase,
  toMemberName,
} from '../../cli/introspect/name.ts'

/** Singulars with their plurals. */
const pairs =
  `album albums, address addresses, alias aliases, analysis analyses, archive archives, batch batches,
  box boxes, branch branches, bus buses, cache caches, campus campuses, canvas canvases, case cases, category categories,
  census censuses, child children, city cities, class classes, clause clauses, company companies, cookie cookies,
  country countries, course courses, crisis crises, criterion criteria, database databases, day days, dish dishes,
  employee employees, entry entries, expense expenses, fee fees, focus focuses, foot feet, gas gases, genre genres,
  half halves, hero heroes, house houses, invoice invoices, key keys, leaf leaves, lens lenses, license licenses, life lives,
  line lines, match matches, matrix matrices, mouse mice, move moves, movie movies, photo photos, process processes,
  purchase purchases, quiz quizzes, response responses, shelf shelves, size sizes, status statuses, tax taxes,
  gentleman gentlemen, salesperson salespeople, businesswoman businesswomen, grandchild grandchildren, stimulus stimuli,
  nucleus nuclei, alumnus alumni, bacterium bacteria, larva larvae, fungus fungi, syllabus syllabuses, corpus corpora,
  passerby passersby, louse lice, oasis oases, ellipsis ellipses, diagnosis diagnoses, thesis theses, bonus bonuses,
  headquarters headquarters, aircraft aircraft, means means, roof roofs, tie ties, shoe shoes, base bases,
  toe toes, use uses, video videos, virus viruses, warehouse warehouses, wife wives, wish wishes, woman women`
    .split(',')
    .map((pair) => pair.trim().split(/\s+/))

/** Words that are singular and plural, or no plural at all. */
const invariantWords = 'news series equipment data sms gps staff x s 日本'.split(' ')

/** Table names that are no nouns in the singular. */
const withoutPlural = 'crs tls gps dns archived dirtied deleted blocked'.split(' ')

describe('Singular and plural', () => {
  for (const word of withoutPlural) {
    it(`the plural of ${word} is ${word}`, () => {
      assert.equal(pluralize(word), word)
    })
  }

  for (const word of ['feed', 'seed', 'bed', 'watershed', 'moped']) {
    it(`the plural of ${word} is ${word}s`, () => {
      assert.equal(pluralize(word), `${word}s`)
    })
  }

  for (const [singular = '', plural = ''] of pairs) {
    it(`${singular} and ${plural} are made from each other and from themselves`, () => {
      assert.deepEqual([pluralize(singular), singularize(plural)], [plural, singular])
      assert.deepEqual([pluralize(plural), singularize(singular)], [plural, singular])
    })
  }

  for (const word of invariantWords) {
    it(`the singular of ${word} is ${word}`, () => {
      assert.equal(singularize(word), word)
    })
  }

  it('the singular of people is person, and the plural of person is persons', () => {
    assert.deepEqual(
      [singularize('people'), pluralize('people'), pluralize('person')],
      ['person', 'people', 'persons'],
    )
  })
})

/** Names of tables and columns, each as a member name, an identifier and a file name. */
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
    it(`${stored} becomes ${expected.join(', ')}`, () => {
      const name = parseName(stored)
      assert.deepEqual([toMemberName(name), toIdentifier(name), toKebabCase(name)], expected)
    })
  }
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rowsOf } from './everything/rows.ts'
import { people } from './people.ts'
import { type CollectionRequest, evaluateRequest } from './reference/reference.ts'
import { expectedResources } from './reference/reference-document.ts'
import type { Filter } from './reference/reference-filter.ts'
import { compareText, fold, isLike, isMatch, words } from './reference/reference-text.ts'
import type { Data, Row } from './schema.ts'

const nobody = { email: null, birth_date: null, gender: null }

const persons: readonly Row[] = [
  { id: 2n, name: 'Ada', email: 'ada@example.org', birth_date: '1815-12-10', gender: 'f' },
  { ...nobody, id: 9n, name: 'straße' },
  { ...nobody, id: 10n, name: '', birth_date: '1912-06-23', gender: '' },
]
const computers: readonly Row[] = [
  { id: 1n, serial: 'A-1', person_id: 2n },
  { id: 3n, serial: 'B-2', person_id: 2n },
  { id: 4n, serial: '50%', person_id: 10n },
  { id: 5n, serial: 'x', person_id: null },
]
const data: Data = { schema: people, tables: { person: persons, computer: computers } }

const all: CollectionRequest = {
  type: 'person',
  filters: [],
  simple: [],
  sort: [],
  page: { number: 1, size: 0 },
}

function found(request: Partial<CollectionRequest>): number[] {
  return evaluateRequest(data, { ...all, ...request }).rows.map(({ id }) => Number(id))
}

describe('The reference implementation', () => {
  const ofPersons: readonly [Filter, number[]][] = [
    [{ name: 'name', op: 'eq', val: 'Ada' }, [2]],
    [{ name: 'email', op: 'ne', val: 'x@y.example' }, [2]],
    [{ not: { name: 'email', op: 'eq', val: 'x@y.example' } }, [2]],
    [{ not: { name: 'email', op: 'is_', val: 'x@y.example' } }, [2, 9, 10]],
    [{ name: 'email', op: 'isnot', val: 'x@y.example' }, [2, 9, 10]],
    [{ name: 'email', op: 'eq', val: null }, [9, 10]],
    [{ name: 'email', op: 'ne', val: null }, [2]],
    [{ name: 'email', op: 'like', val: null }, []],
    [{ not: { name: 'email', op: 'like', val: null } }, []],
    [{ name: 'email', op: 'notlike', val: 'zzz' }, [2]],
    [{ name: 'id', op: 'ge', val: '9' }, [9, 10]],
    [{ name: 'id', op: 'lt', val: 10 }, [2, 9]],
    [{ name: 'id', op: 'in_', val: [2, '10', null] }, [2, 10]],
    [{ name: 'id', op: 'notin_', val: [2, null] }, []],
    [{ name: 'gender', op: 'in_', val: [] }, []],
    [{ name: 'gender', op: 'notin_', val: [] }, [2, 9, 10]],
    [{ name: 'birth_date', op: 'between', val: ['1815-12-10', '1912-06-22'] }, [2]],
    [{ not: { name: 'id', op: 'between', val: [null, 9] } }, [10]],
    [{ name: 'name', op: 'ilike', val: 'STRASSE' }, [9]],
    [{ name: 'name', op: 'gt', field: 'gender' }, []],
    [{ name: 'name', op: 'eq', field: 'gender' }, [10]],
    [{ name: 'email', op: 'is_', field: 'gender' }, [9]],
    [{ name: 'computers', op: 'any' }, [2, 10]],
    [{ name: 'computers', op: 'is_', val: null }, [9]],
    [{ name: 'computers', op: 'isnot', val: null }, [2, 10]],
    [{ name: 'computers__serial', op: 'like', val: '%' }, [2, 10]],
    [{ name: 'computers__serial', op: 'endswith', val: '%' }, [10]],
    [{ name: 'computers__owner__name', op: 'eq', val: 'Ada' }, [2]],
    [
      { name: 'computers', op: 'any', val: { not: { name: 'serial', op: 'eq', val: 'A-1' } } },
      [2, 10],
    ],
    [{ not: { name: 'computers__serial', op: 'eq', val: 'A-1' } }, [9, 10]],
    [
      {
        or: [
          { name: 'name', op: 'eq', val: '' },
          { name: 'gender', op: 'eq', val: 'f' },
        ],
      },
      [2, 10],
    ],
    [
      {
        and: [
          { name: 'name', op: 'ne', val: '' },
          { name: 'gender', op: 'eq', val: 'f' },
        ],
      },
      [2],
    ],
  ]
  for (const [filter, expected] of ofPersons) {
    it(`finds the persons ${expected.join(', ') || '(none)'} by ${JSON.stringify(filter)}`, () => {
      assert.deepEqual(found({ filters: [filter] }), expected)
    })
  }

  const ofComputers: readonly [Filter, number[]][] = [
    [{ name: 'owner', op: 'has' }, [1, 3, 4]],
    [{ name: 'owner', op: 'eq', val: null }, [5]],
    [{ name: 'owner__email', op: 'eq', val: null }, [4]],
    [{ not: { name: 'owner__name', op: 'eq', val: 'Ada' } }, [4, 5]],
    [
      { name: 'owner__computers', op: 'any', val: [{ name: 'serial', op: 'eq', val: 'B-2' }] },
      [1, 3],
    ],
  ]
  for (const [filter, expected] of ofComputers) {
    it(`finds the computers ${expected.join(', ')} by ${JSON.stringify(filter)}`, () => {
      assert.deepEqual(found({ type: 'computer', filters: [filter] }), expected)
    })
  }

  it('combines filters, short filters and the owner in the path with AND', () => {
    const filters: Filter[] = [{ name: 'serial', op: 'like', val: '-' }]
    const type = 'computer'
    const of = (id: string) => ({ type: 'person', id, relationship: 'computers' })
    assert.deepEqual(
      found({ type, of: of('2'), filters, simple: [['owner__name', 'Ada']] }),
      [1, 3],
    )
    assert.deepEqual(found({ type, of: of('10'), filters }), [])
  })

  it('sorts null largest, ids by number, through the owner, and by id at the end', () => {
    assert.deepEqual(found({ sort: ['-id'] }), [10, 9, 2])
    assert.deepEqual(found({ sort: ['gender'] }), [10, 2, 9])
    assert.deepEqual(found({ sort: ['-gender'] }), [9, 2, 10])
    assert.deepEqual(found({ type: 'computer', sort: ['-owner.name'] }), [5, 1, 3, 4])
    assert.deepEqual(found({ type: 'computer', sort: ['owner.name', '-id'] }), [4, 3, 1, 5])
  })

  it('returns a page with the number of resources on all pages', () => {
    const page = { number: 2, size: 2 }
    const { rows, count } = evaluateRequest(data, { ...all, page })
    assert.deepEqual([rows.map(({ id }) => id), count], [[10n], 3])
  })

  it('orders text by code point, not by UTF-16 unit', () => {
    assert.ok('😀' < '｡' && compareText('😀', '｡') > 0)
    assert.ok(compareText('a', 'ab') < 0 && compareText('', 'a') < 0 && compareText('Z', 'a') < 0)
    assert.equal(compareText('𝒳', '𝒳'), 0)
  })

  it('has one wildcard, and searches at every position without it', () => {
    assert.ok(isLike('abc', 'b') && isLike('abc', 'a%c') && isLike('ac', 'a%c') && isLike('', '%'))
    assert.ok(!isLike('abc', 'b%') && !isLike('aba', 'ab%ba') && !isLike('abc', '_%'))
    assert.ok(isLike('a\nb', 'a%b') && isLike('x.y', 'x.%') && !isLike('xyy', 'x.%'))
  })

  it('folds case by the full mappings, for parts as for the complete text', () => {
    const pieces = ['Σ', 'ς', 'a', 'ß', 'ẞ', 'İ', 'ı', 'ﬁ', '\u0301', '😀', '𐐨', ' ']
    for (const one of pieces) {
      for (const other of pieces) assert.equal(fold(one + other), fold(one) + fold(other))
    }
    assert.deepEqual([fold('ß'), fold('ς'), fold('ı'), fold('𐐨')], ['SS', 'Σ', 'I', '𐐀'])
  })

  it('splits words at punctuation and nowhere else, before folding as after it', () => {
    assert.deepEqual(words("o'Hara—x_y　7ª"), ['O', 'HARA', 'X', 'Y', '7ª'])
    assert.ok(isMatch('The analytical Engine', 'ENGINE, the') && !isMatch('engines', 'engine'))
    assert.ok(isMatch('', '') && isMatch('x', '…'))
    for (let point = 0; point < 0x20000; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const character = String.fromCodePoint(point)
      assert.equal(words(fold(character)).length, words(character).length, character)
    }
  })

  it('contains what is requested, and the linkage along every included path', () => {
    const selection = { fields: { person: ['display_name', 'computers'] }, include: ['owner'] }
    const [first] = rowsOf(data, 'computer')
    assert.ok(first)
    const shown = expectedResources(data, 'computer', [first], selection)
    assert.deepEqual(Array.from(shown.values()), [
      {
        type: 'computer',
        id: '1',
        attributes: { serial: 'A-1' },
        relationships: { owner: { type: 'person', id: '2' } },
        counts: {},
      },
      {
        type: 'person',
        id: '2',
        attributes: { display_name: 'ADA <ada@example.org>' },
        relationships: {
          computers: [
            { type: 'computer', id: '1' },
            { type: 'computer', id: '3' },
          ],
        },
        counts: {},
      },
    ])
  })
})

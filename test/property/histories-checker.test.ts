import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkCreated,
  checkHistory,
  type Entry,
  type History,
  type Part,
  type State,
  type Write,
} from './histories/check-history.ts'

const part = (is: Part['is'], mark: string, seen?: State): Part => ({
  ...{ is, board: '1', mark },
  ...(seen && { seen }),
})
const write = (parts: readonly Part[], begin: number, end: number, status = 200): Write => ({
  ...{ parts, key: undefined, begin },
  responses: [{ status, text: '', begin, end }],
})
const entry = (seq: number, before: string | undefined, after: string | undefined): Entry => ({
  ...{ seq, tx: undefined, board: '1', card: undefined, before, after },
})
const seen = (value: string): State => ({ value, version: 'v', begin: 3, end: 4 })
const created = write([part('create', 'a')], 1, 2)
const first = entry(1, undefined, '["a",null]')

/** A history, and what is wrong with it. */
const cases: readonly (readonly [string, History, RegExp | undefined])[] = [
  [
    'a write after another one',
    {
      writes: [created, write([part('title', 'b', seen('["a",null]'))], 5, 6)],
      reads: [{ board: '1', is: 'board', state: seen('["a",null]'), begin: 3, end: 4 }],
      entries: [first, entry(2, '["a",null]', '["b",null]')],
    },
    undefined,
  ],
  [
    'an acknowledged write without an effect',
    { writes: [created], reads: [], entries: [] },
    /lost/,
  ],
  [
    'a refused write with an effect',
    {
      writes: [created, write([part('title', 'b')], 5, 6, 412)],
      reads: [],
      entries: [first, entry(2, '["a",null]', '["b",null]')],
    },
    /refused and written/,
  ],
  [
    'a refused write with an effect of which an earlier attempt had no response',
    {
      writes: [created, { ...write([part('title', 'b')], 5, 6, 412), hasUnanswered: true }],
      reads: [],
      entries: [first, entry(2, '["a",null]', '["b",null]')],
    },
    /refused and written/,
  ],
  [
    'the same of a set, which may be again what it was',
    {
      writes: [created, { ...write([part('add', '4')], 5, 6, 412), hasUnanswered: true }],
      reads: [{ board: '1', is: 'members', state: seen('4'), begin: 7, end: 8 }],
      entries: [first, { ...entry(2, undefined, '4'), card: '4' }],
    },
    undefined,
  ],
  [
    'the same of a set after a write that began after the refusal',
    {
      writes: [
        created,
        { ...write([part('add', '4')], 3, 4, 412), hasUnanswered: true },
        write([part('title', 'b')], 5, 6),
      ],
      reads: [],
      entries: [
        first,
        entry(2, '["a",null]', '["b",null]'),
        { ...entry(3, undefined, '4'), card: '4' },
      ],
    },
    undefined,
  ],
  [
    'a member that is removed again, and a read between the removals',
    {
      writes: [
        created,
        write([part('add', '4')], 3, 4),
        write([part('remove', '4')], 5, 6),
        write([part('remove', '4')], 9, 10),
      ],
      reads: [{ board: '1', is: 'members', state: seen(''), begin: 7, end: 8 }],
      entries: [
        first,
        { ...entry(2, undefined, '4'), card: '4', tx: '7' },
        { ...entry(3, '4', undefined), card: '4', tx: '8' },
      ],
    },
    undefined,
  ],
  [
    'a read of a removed member, which one write has removed',
    {
      writes: [created, write([part('add', '4')], 3, 4), write([part('remove', '4')], 5, 6)],
      reads: [{ board: '1', is: 'members', state: seen('4'), begin: 7, end: 8 }],
      entries: [
        first,
        { ...entry(2, undefined, '4'), card: '4', tx: '7' },
        { ...entry(3, '4', undefined), card: '4', tx: '8' },
      ],
    },
    /which it was not then/,
  ],
  [
    'a write with two effects',
    {
      writes: [created, write([part('title', 'b')], 5, 6)],
      reads: [],
      entries: [
        first,
        entry(2, '["a",null]', '["b",null]'),
        entry(3, '["b","c"]', '["b",null]'),
        entry(4, '["c",null]', '["b",null]'),
      ],
    },
    /2 effects/,
  ],
  [
    'a part of a batch',
    {
      writes: [created, write([part('title', 'b'), part('note', 'c')], 5, 6)],
      reads: [],
      entries: [first, entry(2, '["a",null]', '["b",null]')],
    },
    /a part of/,
  ],
  [
    'a lost update',
    {
      writes: [
        created,
        write([part('title', 'b')], 4, 5),
        write([part('title', 'c', seen('["a",null]'))], 6, 7),
      ],
      reads: [],
      entries: [first, entry(2, '["a",null]', '["b",null]'), entry(3, '["b",null]', '["c",null]')],
    },
    /was overwritten/,
  ],
  [
    'an order against the time',
    {
      writes: [created, write([part('title', 'b')], 3, 4), write([part('note', 'c')], 5, 6)],
      reads: [],
      entries: [first, entry(2, '["a",null]', '["a","c"]'), entry(3, '["a","c"]', '["b","c"]')],
    },
    /ended before/,
  ],
  [
    'a read of the past',
    {
      writes: [created, write([part('title', 'b')], 2, 3)],
      reads: [{ board: '1', is: 'board', state: seen('["a",null]'), begin: 4, end: 5 }],
      entries: [first, entry(2, '["a",null]', '["b",null]')],
    },
    /which it was not then/,
  ],
  [
    'a conflict with nobody',
    {
      writes: [created, write([part('title', 'b', seen('["a",null]'))], 5, 6, 412)],
      reads: [],
      entries: [first],
    },
    /a conflict with nobody/,
  ],
  [
    'a lost update without a journal',
    {
      writes: [
        created,
        write([part('title', 'b')], 5, 6),
        write([part('title', 'c', seen('["a",null]'))], 7, 8),
      ],
      reads: [],
    },
    /overwrote/,
  ],
]

describe('The checker of histories', () => {
  for (const [title, history, problem] of cases)
    it(problem === undefined ? `accepts ${title}` : `finds ${title}`, () => {
      const found = checkHistory(history)
      if (problem === undefined) assert.deepEqual(found, [])
      else
        assert.ok(
          found.some((each) => problem.test(each)),
          found.join('; '),
        )
    })

  it('finds a second effect of a create without a journal', () => {
    const [{ board } = { board: '' }] = created.parts
    assert.deepEqual(checkCreated([board], [created]), [])
    assert.match(String(checkCreated([board, 'other'], [created])), /the board other was created/)
  })
})

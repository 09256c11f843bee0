import type { KindName } from '../../src/model/kinds.ts'
import type { OperatorName } from '../../src/model/operators.ts'

/** A value to compare with, and the ids of the rows that match, in order. */
export type Case = readonly [val: unknown, ids: string]

/** The table the operators are tried on: a column of each kind, and in the last row nothing but nulls. */
// biome-ignore format: a table, one row a row
export const rows = [
  "(1, 'Ada',       'ada@b.org',    -5,               -0.5,  1,    '1815-12-10')",
  "(2, 'ada b',     'ADA@b.org',    0,                0,     0,    '1906-12-09')",
  "(3, 'Bob Ada-c', 'bob@ada.org',  7,                1.5,   1,    '1912-06-23')",
  "(4, 'x%y_z',     'x_y@b.org',    7,                1.5,   0,    '1912-06-23')",
  "(5, '',          'adabob@c.com', 9007199254740991, 1e308, 1,    '9999-12-31')",
  "(6, 'ÄRGER ß',   'z@b.org',      -100,             -1e3,  0,    '0001-01-01')",
  '(7, null,        null,           null,             null,  null, null)',
].join(', ')

/** Every row of the table. */
export const everyId = '1 2 3 4 5 6 7'
/** The rows that hold values. */
export const knownIds = '1 2 3 4 5 6'

const early = '1815-12-10'
const late = '1912-06-23'

/**
 * What every operator finds for every kind it suits; where a kind is missing the operator is refused.
 * Written down by hand from SERVICE §5, filter: nothing here is computed by the engine.
 */
// biome-ignore format: a table, one kind a row
export const cases: Readonly<Record<OperatorName, Readonly<Partial<Record<KindName, readonly Case[]>>>>> = {
  eq: {
    id:      [['3', '3'], [3, '3'], ['99', ''], ['-1', ''], ['9223372036854775807', ''], [null, '']],
    text:    [['Ada', '1'], ['ada', ''], ['', '5'], ['x%y_z', '4'], ['%', ''], [null, '7']],
    email:   [['ada@b.org', '1'], ['no address', ''], [null, '7']],
    integer: [[7, '3 4'], [-0, '2'], [9007199254740991, '5'], [null, '7']],
    number:  [[1.5, '3 4'], [-0, '2'], [1e308, '5'], [null, '7']],
    boolean: [[true, '1 3 5'], [false, '2 4 6'], [null, '7']],
    date:    [[late, '3 4'], ['0001-01-01', '6'], [null, '7']],
  },
  ne: {
    id:      [['3', '1 2 4 5 6 7'], [null, everyId]],
    text:    [['Ada', '2 3 4 5 6'], [null, knownIds]],
    email:   [['ada@b.org', '2 3 4 5 6'], [null, knownIds]],
    integer: [[7, '1 2 5 6'], [null, knownIds]],
    number:  [[1.5, '1 2 5 6'], [null, knownIds]],
    boolean: [[true, '2 4 6'], [null, knownIds]],
    date:    [[late, '1 2 5 6'], [null, knownIds]],
  },
  is_: {
    id:      [['3', '3'], [null, '']],
    text:    [['Ada', '1'], [null, '7']],
    email:   [['ada@b.org', '1'], [null, '7']],
    integer: [[7, '3 4'], [null, '7']],
    number:  [[1.5, '3 4'], [null, '7']],
    boolean: [[true, '1 3 5'], [null, '7']],
    date:    [[late, '3 4'], [null, '7']],
  },
  isnot: {
    id:      [['3', '1 2 4 5 6 7'], [null, everyId]],
    text:    [['Ada', '2 3 4 5 6 7'], [null, knownIds]],
    email:   [['ada@b.org', '2 3 4 5 6 7'], [null, knownIds]],
    integer: [[7, '1 2 5 6 7'], [null, knownIds]],
    number:  [[1.5, '1 2 5 6 7'], [null, knownIds]],
    boolean: [[true, '2 4 6 7'], [null, knownIds]],
    date:    [[late, '1 2 5 6 7'], [null, knownIds]],
  },
  in_: {
    id:      [[['1', 7, '99'], '1 7'], [['1', null], '1'], [[], '']],
    text:    [[['Ada', '', '%'], '1 5'], [['Ada', null], '1'], [[null], ''], [[], '']],
    email:   [[['ada@b.org', 'z@b.org'], '1 6'], [[], '']],
    integer: [[[7, -5], '1 3 4'], [[7, -5, null], '1 3 4'], [[], '']],
    number:  [[[1.5, -0.5], '1 3 4'], [[0, 1e308], '2 5'], [[], '']],
    boolean: [[[false], '2 4 6'], [[true, false], knownIds], [[], '']],
    date:    [[[late, early], '1 3 4'], [[], '']],
  },
  notin_: {
    id:      [[['1', 7, '99'], '2 3 4 5 6'], [['1', null], ''], [[], everyId]],
    text:    [[['Ada', ''], '2 3 4 6'], [['Ada', null], ''], [[], everyId]],
    email:   [[['ada@b.org', 'z@b.org'], '2 3 4 5'], [[], everyId]],
    integer: [[[7, -5], '2 5 6'], [[7, null], ''], [[], everyId]],
    number:  [[[1.5, -0.5], '2 5 6'], [[], everyId]],
    boolean: [[[false], '1 3 5'], [[true, false], ''], [[], everyId]],
    date:    [[[late, early], '2 5 6'], [[], everyId]],
  },
  gt: {
    id:      [['5', '6 7'], [null, '']],
    text:    [['Bob Ada-c', '2 4 6'], ['', '1 2 3 4 6'], [null, '']],
    email:   [['adabob@c.com', '3 4 6'], [null, '']],
    integer: [[0, '3 4 5'], [null, '']],
    number:  [[0, '3 4 5'], [null, '']],
    date:    [[early, '2 3 4 5'], [null, '']],
  },
  ge: {
    id:      [['5', '5 6 7'], [null, '']],
    text:    [['Bob Ada-c', '2 3 4 6'], ['', knownIds], [null, '']],
    email:   [['adabob@c.com', '3 4 5 6'], [null, '']],
    integer: [[0, '2 3 4 5'], [null, '']],
    number:  [[0, '2 3 4 5'], [null, '']],
    date:    [[early, '1 2 3 4 5'], [null, '']],
  },
  lt: {
    id:      [['3', '1 2'], [null, '']],
    text:    [['Bob Ada-c', '1 5'], [null, '']],
    email:   [['adabob@c.com', '1 2'], [null, '']],
    integer: [[7, '1 2 6'], [null, '']],
    number:  [[1.5, '1 2 6'], [null, '']],
    date:    [[late, '1 2 6'], [null, '']],
  },
  le: {
    id:      [['3', '1 2 3'], [null, '']],
    text:    [['Bob Ada-c', '1 3 5'], [null, '']],
    email:   [['adabob@c.com', '1 2 5'], [null, '']],
    integer: [[7, '1 2 3 4 6'], [null, '']],
    number:  [[1.5, '1 2 3 4 6'], [null, '']],
    date:    [[late, '1 2 3 4 6'], [null, '']],
  },
  between: {
    id:      [[['2', 4], '2 3 4'], [['4', '2'], '']],
    text:    [[['Ada', 'Bob Ada-c'], '1 3'], [['b', 'a'], ''], [['A', null], ''], [[null, 'z'], '']],
    email:   [[['a', 'b'], '1 5']],
    integer: [[[-5, 7], '1 2 3 4'], [[7, 7], '3 4'], [[7, -5], '']],
    number:  [[[-0.5, 1.5], '1 2 3 4'], [[null, null], '']],
    date:    [[[early, late], '1 2 3 4']],
  },
  like: {
    text:    [['da', '1 2 3'], ['Ada', '1 3'], ['Ada%', '1'], ['%c', '3'], ['x%z', '4'], ['_', '4'], ['', knownIds], ['%', knownIds], [null, '']],
    email:   [['ada', '1 3 5'], ['%b.org', '1 2 4 6'], ['_', '4'], [null, '']],
  },
  notlike: {
    text:    [['da', '4 5 6'], ['%', ''], [null, '']],
    email:   [['ada', '2 4 6'], [null, '']],
  },
  ilike: {
    text:    [['ADA', '1 2 3'], ['ada%', '1 2'], ['ärger SS', '6'], ['_', '4'], [null, '']],
    email:   [['ADA', '1 2 3 5'], [null, '']],
  },
  notilike: {
    text:    [['ADA', '4 5 6'], ['%SS', '1 2 3 4 5'], [null, '']],
    email:   [['ADA', '4 6'], [null, '']],
  },
  startswith: {
    text:    [['A', '1'], ['x%', '4'], ['%', ''], ['', knownIds], [null, '']],
    email:   [['ada', '1 5'], [null, '']],
  },
  endswith: {
    text:    [['a', '1'], ['-c', '3'], ['_z', '4'], ['a longer text than any', ''], ['', knownIds], [null, '']],
    email:   [['.com', '5'], [null, '']],
  },
  match: {
    text:    [['ada', '1 2 3'], ['ADA bob', '3'], ['ad', ''], ['z-x', '4'], ['ärger ss', '6'], ['-', knownIds], ['', knownIds], [null, '']],
    email:   [['ADA', '1 2 3'], ['org@x', '4'], [null, '']],
  },
}

/** What each operator finds when a field is compared with itself: every row, those with values, or none. */
export const withItself: Readonly<Partial<Record<OperatorName, 'every' | 'known' | 'none'>>> = {
  eq: 'known',
  ne: 'none',
  is_: 'every',
  isnot: 'none',
  gt: 'none',
  ge: 'known',
  lt: 'none',
  le: 'known',
  like: 'known',
  notlike: 'none',
  ilike: 'known',
  notilike: 'none',
  startswith: 'known',
  endswith: 'known',
  match: 'known',
}

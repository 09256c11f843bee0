import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  computed,
  DeclarationError,
  defineModel,
  integer,
  type ModelOptions,
  type ResourceDeclaration,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'

type Fields = ResourceDeclaration['fields']

const thing = (fields: Fields, other: Partial<ResourceDeclaration> = {}): ResourceDeclaration => ({
  ...resource('thing', { path: '/things', table: 'thing', fields }),
  ...other,
})
const person = resource('person', { path: '/persons', table: 'person', fields: {} })

/** Returns the errors of declarations. */
function findErrors(
  resources: readonly ResourceDeclaration[],
  options?: ModelOptions,
): readonly string[] {
  try {
    defineModel(resources, options)
    return []
  } catch (error) {
    assert.ok(error instanceof DeclarationError, String(error))
    assert.equal(error.message, error.errors.join('\n'))
    return error.errors
  }
}

/** Asserts that there is one error for each expected pair: the path to the wrong option, and a part of the message. */
function assertErrors(
  errors: readonly string[],
  expected: readonly (readonly [path: string, part: string])[],
): void {
  const lines = errors.join('\n')
  assert.equal(errors.length, expected.length, lines === '' ? 'there is no error' : lines)
  for (const [index, [path, part]] of expected.entries()) {
    const error = errors[index] ?? ''
    assert.ok(error.startsWith(`${path}: `), `${error}\ndoes not start with ${path}`)
    assert.ok(error.includes(part), `${error}\ndoes not contain ${part}`)
    assert.ok(!error.includes('\n'), 'an error has one line')
  }
}

type Row = readonly [
  sentence: string,
  resources: readonly ResourceDeclaration[],
  ...errors: (readonly [path: string, part: string])[],
]

const column = (name: string) => ({ column: name })

/** Wrong declarations, each with its errors. */
const wrong: readonly Row[] = [
  [
    'a to-one relationship to a type that is not declared',
    [thing({ owner: toOne('persn', column('owner_id')) }), person],
    ['thing.fields.owner.to', 'there is no resource type "persn"; did you mean "person"?'],
  ],
  [
    'a to-many relationship to a type that is not declared',
    [thing({ parts: toMany('wheel', column('thing_id')) }), person],
    ['thing.fields.parts.to', 'the types are "thing", "person"'],
  ],
  ['a type twice', [person, thing({}, { type: 'person' })], ['person.type', '"person"']],
  ['a path twice', [person, thing({}, { path: '/persons' })], ['thing.path', '"/persons"']],
  [
    'a required attribute that nobody may send',
    [thing({ made: attribute(text, { required: true, access: 'read-only' }) })],
    ['thing.fields.made.required', 'read-only'],
  ],
  [
    'a column written by two attributes that name it',
    [thing({ one: attribute(text, column('c')), two: attribute(text, column('c')) })],
    [
      'thing.fields.one.column',
      '"c" is written by "one" and "two"; set access: "read-only" on all but one of them',
    ],
    [
      'thing.fields.two.column',
      '"c" is written by "one" and "two"; set access: "read-only" on all but one of them',
    ],
  ],
  [
    'a column written by an attribute of its name and by another',
    [thing({ one: attribute(text), two: attribute(text, column('one')) })],
    [
      'thing.fields.two.column',
      '"one" is written by "one" and "two"; set access: "read-only" on all but one of them',
    ],
  ],
  [
    'a column written by a relationship and by an attribute',
    [thing({ owner: toOne('person', column('o')), o: attribute(integer) }), person],
    [
      'thing.fields.owner.column',
      '"o" is written by "owner" and "o"; set access: "read-only" on all but one of them',
    ],
  ],
  [
    'a column written by two relationships',
    [thing({ one: toOne('person', column('c')), two: toOne('thing', column('c')) }), person],
    [
      'thing.fields.one.column',
      '"c" is written by "one" and "two"; set access: "read-only" on all but one of them',
    ],
    [
      'thing.fields.two.column',
      '"c" is written by "one" and "two"; set access: "read-only" on all but one of them',
    ],
  ],
  [
    'an attribute that writes the column of the ids',
    [thing({ number: attribute(integer, column('id')) })],
    ['thing.fields.number.column', '"id"'],
  ],
  [
    'an attribute that writes the column of the ids, of another name',
    [thing({ no: attribute(integer) }, { id: 'no' })],
    ['thing.fields.no', '"no"'],
  ],
  [
    'a column of one kind in a field and of another in what is computed from it',
    [thing({ size: attribute(integer), big: computed(text, { size: text }, () => null) })],
    ['thing.fields.big.columns.size', 'text here but integer in the field "size"'],
  ],
  [
    'a column of two kinds in two computed fields',
    [
      thing({
        one: computed(text, { c: text }, ({ c }) => c),
        two: computed(text, { c: integer }, ({ c }) => String(c)),
      }),
    ],
    ['thing.fields.two.columns.c', 'integer here but text in the field "one"'],
  ],
  [
    'everything at once: every error is reported, in the order of the declarations',
    [
      thing(
        {
          id: attribute(text),
          owner: toOne('nobody', column('o')),
          made: attribute(text, { required: true, access: 'read-only' }),
          a__b: attribute(text),
        },
        { path: 'things' },
      ),
      thing({ 'a.b': attribute(text) }, { type: 'no name', path: '/others' }),
    ],
    ['thing.path', '"things"'],
    ['thing.fields.id', '"id"'],
    ['thing.fields.owner.to', '"nobody"'],
    ['thing.fields.made.required', 'read-only'],
    ['thing.fields.a__b', '"__"'],
    ['no name.type', '"no name"'],
    ['no name.fields.a.b', '"a.b"'],
  ],
]

/** Names of types that JSON:API or a URL does not allow. */
const wrongTypes = [
  '',
  ' ',
  'a b',
  '-a',
  'a-',
  '_a',
  'a_',
  'a.b',
  'a/b',
  'a[b]',
  'a,b',
  'a+b',
  '@a',
]
/** Paths that are not one segment. */
const wrongPaths = [
  '',
  '/',
  'things',
  '/things/',
  '/a/b',
  '/a?b',
  '/a#b',
  '/:id',
  '/*',
  '/ü',
  '/a b',
]
/** Names of fields that documents, filters or lists of names do not allow. */
const wrongFields = [
  ...['id', 'type', 'relationships', 'links', '', ' ', 'a b', '-a', 'a-', '_a', 'a_', 'a.b', 'a/b'],
  ...['a[b]', 'a,b', 'a__b', '__proto__', 'a+b', '@a', 'a:b'],
]
/** Unusual names that are allowed. */
const rightNames = [
  'a',
  '0',
  'A-b_c',
  'größe',
  '名',
  'constructor',
  'toString',
  'data',
  'attributes',
]

describe('Declarations', () => {
  for (const [sentence, resources, ...errors] of wrong) {
    it(`rejected: ${sentence}`, () => assertErrors(findErrors(resources), errors))
  }

  for (const type of wrongTypes)
    it(`rejected: the type ${JSON.stringify(type)}, which documents do not allow`, () => {
      assertErrors(findErrors([thing({}, { type })]), [[`${type}.type`, `"${type}"`]])
    })

  for (const path of wrongPaths)
    it(`rejected: the path ${JSON.stringify(path)}, which URLs do not allow`, () => {
      assertErrors(findErrors([thing({}, { path })]), [['thing.path', `"${path}"`]])
    })

  for (const name of wrongFields)
    it(`rejected: the field ${JSON.stringify(name)}, which documents do not allow`, () => {
      for (const field of [attribute(text, column('c')), toOne('thing', column('c'))]) {
        const found = findErrors([thing(Object.fromEntries([[name, field]]))])
        assertErrors(found, [[`thing.fields.${name}`, '']])
      }
    })

  for (const name of rightNames)
    it(`accepted: the unusual name ${JSON.stringify(name)}`, () => {
      for (const field of [attribute(text), toOne('thing', column('c'))]) {
        assert.deepEqual(findErrors([thing({ [name]: field })]), [])
      }
      assert.deepEqual(findErrors([thing({}, { type: name })]), [])
    })

  it('accepted: fields that share a column that at most one of them writes', () => {
    const shared = {
      name: attribute(text),
      shown: attribute(text, { access: 'read-only', column: 'name' }),
      shouted: computed(text, { name: text }, ({ name }) => name?.toUpperCase() ?? null),
      number: attribute(integer, { access: 'read-only', column: 'id' }),
      owner: toOne('person', column('owner_id')),
      owner_number: attribute(integer, { access: 'read-only', column: 'owner_id' }),
      whole: toOne('thing', column('whole_id')),
      parts: toMany('thing', column('whole_id')),
    }
    assert.deepEqual(findErrors([thing(shared), person]), [])
    const again = thing(shared, { type: 'again', path: '/agains' })
    assert.deepEqual(findErrors([thing(shared), again, person]), [], 'two types over one table')
  })

  it('rejected: page sizes that are not integers from 1', () => {
    for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      for (const option of ['pageSize', 'maxPageSize'] as const) {
        const found = findErrors([person], { [option]: size })
        assertErrors(found, [[`options.${option}`, String(size)]])
      }
    }
    assert.deepEqual(findErrors([person], { pageSize: 1, maxPageSize: 1 }), [])
  })
})

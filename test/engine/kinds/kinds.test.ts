import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { attribute, defineModel, resource, toMany, toOne } from 'lapidary'
import { kinds } from '../../../src/model/kinds/kinds.ts'
import { parametricKinds } from '../../../src/model/kinds/parametric-kinds.ts'
import type { ColumnTypes } from '../../databases.ts'
import { partOf, partOnOthers } from '../../long-tests.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import type { KindValues } from '../kind-case.ts'
import { kindValues } from '../kind-values.ts'
import { attributeText, create, jsonApi } from '../things.ts'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
addFormats.default(ajv)
// The package wants a dot in the domain, which RFC 5321 §2.3.5 does not.
ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/)

const all = Object.entries<KindValues>(kindValues)
const comparable = all.filter(([, { kind }]) => kind.operators !== 'opaque')

/** An attribute for each row of the table of values. */
const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    ...Object.fromEntries(all.map(([name, { kind }]) => [name, attribute(kind)])),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const served = {
  model: defineModel([thing]),
  tables: (columnTypes: ColumnTypes) => {
    const types: Readonly<Record<string, string>> = columnTypes
    const columns = all.map(([name, { kind, column = types[kind.name] }]) => `"${name}" ${column}`)
    return `create table thing (id ${columnTypes.newId}, ${columns.join(', ')},
      whole_id integer references thing (id))`
  },
}

it('the table has values for every kind', () => {
  const names = new Set(all.map(([, { kind }]) => kind.name))
  const known = [...Object.keys(kinds), ...Object.keys(parametricKinds)]
  assert.deepEqual([...names, 'id'].sort(), known.sort())
})

engine('Kinds in bodies', served, (app) => {
  for (const [index, [kind, values]] of all.entries()) {
    const { kind: declared, accepts, rejects, expected, details = [] } = values

    for (const [sent, serialized = sent] of accepts)
      it(`${kind}: ${sent.slice(0, 60)} is returned exactly by the create, a read and an update`, async () => {
        const made = await create(app, { [kind]: sent })
        assert.equal(made.status, 201, made.text)
        assert.equal(attributeText(made, kind), serialized)
        const later = await app.get(`/things/${made.one.id}`)
        assert.equal(attributeText(later, kind), serialized)
        const patched = await app.call(
          'PATCH',
          `/things/${made.one.id}`,
          jsonApi(`{"data":{"type":"thing","id":"1","attributes":{"${kind}":${sent}}}}`),
        )
        assert.equal(attributeText(patched, kind), serialized)
      })

    it(`${kind}: accepted and serialized values match the schema`, () => {
      const validate = ajv.compile(declared.schema)
      for (const [sent, serialized = sent] of accepts) {
        for (const json of [sent, serialized]) {
          assert.ok(validate(JSON.parse(json)), `${json} ${ajv.errorsText(validate.errors)}`)
        }
      }
      assert.equal(validate(null), false)
    })

    it(
      `${kind}: null is accepted, and returned if nothing was sent`,
      partOf(index, 9),
      async () => {
        const unset = await create(app, {})
        assert.equal(attributeText(unset, kind), 'null')
        const nothing = await create(app, { [kind]: 'null' })
        assert.equal(attributeText(nothing, kind), 'null')
        const [[some] = ['null']] = accepts
        const made = await create(app, { [kind]: some })
        const cleared = await app.patch(`/things/${made.one.id}`, {
          data: { type: 'thing', id: made.one.id, attributes: { [kind]: null } },
        })
        assert.equal(attributeText(cleared, kind), 'null')
      },
    )

    it(
      `${kind}: an invalid value is 422 with its pointer and what it must be`,
      partOnOthers(app.dialect, index, 9),
      async () => {
        const expectedBy = new Map(details)
        for (const sent of [...rejects, ...expectedBy.keys()]) {
          const rejected = await create(app, { [kind]: sent })
          assert.equal(rejected.status, 422, `${sent} → ${rejected.text}`)
          assert.deepEqual(rejected.error.source, { pointer: `/data/attributes/${kind}` })
          assert.ok(
            rejected.error.detail.startsWith(`${kind} must be ${expected}`),
            rejected.error.detail,
          )
          const specific = expectedBy.get(sent)
          if (specific !== undefined) {
            const start = `${kind} must be ${specific}; it is `
            assert.ok(rejected.error.detail.startsWith(start), rejected.error.detail)
          }
          assert.equal(rejected.body.errors?.length, 1)
        }
        assert.equal((await app.get('/things')).body.meta?.count, 0)
      },
    )
  }
})

engine('Kinds in filters', served, (app) => {
  for (const [index, [kind, { accepts, filterTexts }]] of comparable.entries()) {
    it(`${kind}: a JSON filter reads a value like a body`, async () => {
      const made = new Map<unknown, string[]>()
      await create(app, { [kind]: 'null' })
      for (const [sent, serialized = sent] of accepts) {
        const { one } = await create(app, { [kind]: sent })
        made.set(serialized, [...(made.get(serialized) ?? []), one.id])
      }
      for (const [sent, serialized = sent] of accepts) {
        const filter = `[{"name":"${kind}","op":"eq","val":${sent}}]`
        assert.deepEqual(ids(await app.get('/things', { filter })), made.get(serialized), sent)
      }
      const list = accepts.map(([sent]) => sent).join(',')
      const among = await app.get('/things', {
        filter: `[{"name":"${kind}","op":"in_","val":[${list}]}]`,
      })
      assert.deepEqual(new Set(ids(among)), new Set([...made.values()].flat()))
    })

    it(
      `${kind}: filter[${kind}]=text reads the text as this kind`,
      partOnOthers(app.dialect, index, 9),
      async () => {
        const made = new Map<string, string>()
        await create(app, { [kind]: 'null' })
        for (const [, value] of filterTexts) {
          if (!made.has(value)) made.set(value, (await create(app, { [kind]: value })).one.id)
        }
        for (const [sent, value] of filterTexts) {
          const response = await app.get('/things', { [`filter[${kind}]`]: sent })
          assert.deepEqual(ids(response), [made.get(value)], `${sent} → ${response.text}`)
        }
      },
    )
  }

  for (const [index, [kind, values]] of all.entries()) {
    const {
      kind: declared,
      accepts,
      rejectedVals,
      rejectedTexts,
      expected,
      expectedInFilters = expected,
    } = values

    for (const [op, isNull] of [
      ['eq', true],
      ['is_', true],
      ['ne', false],
      ['isnot', false],
    ] as const)
      it(
        `${kind}: a filter ${op} null finds ${isNull ? 'nulls' : 'all others'}`,
        partOf(index, 9),
        async () => {
          const { one: none } = await create(app, {})
          const [[some] = ['null']] = accepts
          const { one: full } = await create(app, { [kind]: some })
          const found = isNull ? none : full
          const response = await app.get('/things', { filter: [{ name: kind, op, val: null }] })
          assert.deepEqual(ids(response), [found.id], op)
        },
      )

    for (const val of rejectedVals)
      it(
        `${kind}: ${val.slice(0, 60)}, an invalid value in a JSON filter, is 400 with its position`,
        partOnOthers(app.dialect, index, 9),
        async () => {
          const tried = [
            ['eq', val],
            ['in_', `[null,${val}]`],
          ]
          for (const [op, json] of declared.operators === 'opaque' ? tried.slice(0, 1) : tried) {
            const response = await app.get('/things', {
              filter: `[{"name":"${kind}","op":"${op}","val":${json}}]`,
            })
            assert.equal(response.status, 400, `${json} → ${response.text}`)
            assert.deepEqual(response.error.source, { parameter: 'filter' })
            assert.match(response.error.detail, /^filter\[0\]\.val: /)
            const rule = `${kind} must be compared with ${expectedInFilters}`
            assert.ok(response.error.detail.includes(rule), response.error.detail)
          }
        },
      )

    for (const wrong of rejectedTexts)
      it(
        `${kind}: ${JSON.stringify(wrong).slice(0, 60)}, an invalid text in filter[${kind}], is 400 with its parameter`,
        partOf(index, 9),
        async () => {
          const response = await app.get('/things', { [`filter[${kind}]`]: wrong })
          assert.equal(response.status, 400, `${wrong} → ${response.text}`)
          assert.deepEqual(response.error.source, { parameter: `filter[${kind}]` })
          const rule = `${kind} must be compared with ${expectedInFilters}`
          assert.ok(response.error.detail.includes(rule), response.error.detail)
        },
      )
  }
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { enter } from '../people.ts'

/** An invalid filter of persons, the position of the error, and texts of its detail. */
type Row = readonly [filter: string, place: string, ...says: string[]]

// biome-ignore format: a table, one filter a row
const names: readonly Row[] = [
  ['[{"name":"quux","op":"eq","val":"x"}]',            'filter[0].name', 'quux', 'birth_date', 'gender'],
  ['[{"name":"nam","op":"eq","val":"x"}]',             'filter[0].name', 'did you mean "name"?'],
  ['[{"name":"Name","op":"eq","val":"x"}]',            'filter[0].name', 'did you mean "name"?'],
  ['[{"name":"password","op":"eq","val":"x"}]',        'filter[0].name', 'password'],
  ['[{"name":"display_name","op":"eq","val":"x"}]',    'filter[0].name', 'display_name'],
  ['[{"name":"__proto__","op":"eq","val":"x"}]',       'filter[0].name'],
  ['[{"name":"constructor","op":"eq","val":"x"}]',     'filter[0].name', 'constructor'],
  ['[{"name":"","op":"eq","val":"x"}]',                'filter[0].name'],
  ['[{"name":5,"op":"eq","val":"x"}]',                 'filter[0].name'],
  ['[{"name":null,"op":"eq","val":"x"}]',              'filter[0].name'],
  ['[{"name":["name"],"op":"eq","val":"x"}]',          'filter[0].name'],
  ['[{"name":"computers__quux","op":"eq","val":"x"}]', 'filter[0].name', 'quux', 'serial'],
  ['[{"name":"computers__seral","op":"eq","val":"x"}]', 'filter[0].name', 'did you mean "serial"?'],
  ['[{"name":"computers__person_id","op":"eq","val":"1"}]', 'filter[0].name', 'person_id'],
  ['[{"name":"computers__owner__password","op":"eq","val":"1"}]', 'filter[0].name', 'password'],
  ['[{"name":"computers__","op":"eq","val":"x"}]',     'filter[0].name'],
  ['[{"name":"__name","op":"eq","val":"x"}]',          'filter[0].name'],
  ['[{"name":"name__first","op":"eq","val":"x"}]',     'filter[0].name', 'name'],
  ['[{"name":"computers.serial","op":"eq","val":"x"}]', 'filter[0].name', 'computers.serial'],
  ['[{"name":"name","op":"eq","field":"quux"}]',       'filter[0].field', 'quux', 'gender'],
  ['[{"name":"name","op":"eq","field":"gendr"}]',      'filter[0].field', 'did you mean "gender"?'],
  ['[{"name":"name","op":"eq","field":"password"}]',   'filter[0].field', 'password'],
  ['[{"name":"name","op":"eq","field":"display_name"}]', 'filter[0].field', 'display_name'],
  ['[{"name":"name","op":"eq","field":"computers"}]',  'filter[0].field', 'computers'],
  ['[{"name":"name","op":"eq","field":"birth_date"}]', 'filter[0].field', 'birth_date', 'name'],
  ['[{"name":"birth_date","op":"gt","field":"name"}]', 'filter[0].field', 'birth_date', 'name'],
  ['[{"name":"id","op":"eq","field":"name"}]',         'filter[0].field', 'id', 'name'],
  ['[{"name":"name","op":"eq","field":5}]',            'filter[0].field'],
  ['{"name":"Ada"}',                                   'filter', 'send [{"name":"name","op":"eq","val":"Ada"}] instead'],
  ['[{"name":"id","op":"eq","val":"1","val":"2"}]',    'filter[0].val', 'more than once'],
  ['[{"or":[{"name":"id","n\\u0061me":"id","op":"eq","val":"1"}]}]', 'filter[0].or[0].name', 'more than once'],
]

// biome-ignore format: a table, one filter a row
const operators: readonly Row[] = [
  ['[{"name":"name","op":"gte","val":"x"}]',           'filter[0].op', 'name has no operator "gte"', 'did you mean "ge"?'],
  ['[{"or":[{"name":"id","op":"eq","val":"1"},{"name":"name","op":"gte","val":"x"}]}]',
                                                       'filter[0].or[1].op', 'filter[0].or[1].op: name has no operator "gte"; did you mean "ge"?'],
  ['[{"name":"name","op":"EQ","val":"x"}]',            'filter[0].op', 'did you mean "eq"?'],
  ['[{"name":"name","op":"in","val":["x"]}]',          'filter[0].op', 'did you mean "in_"?'],
  ['[{"name":"name","op":"not_a_word","val":"x"}]',    'filter[0].op', 'not_a_word', 'startswith'],
  ['[{"name":"name","op":"==","val":"x"}]',            'filter[0].op', '=='],
  ['[{"name":"name","op":"__proto__","val":"x"}]',     'filter[0].op', '__proto__'],
  ['[{"name":"name","op":"constructor","val":"x"}]',   'filter[0].op', 'constructor'],
  ['[{"name":"name","op":5,"val":"x"}]',               'filter[0].op'],
  ['[{"name":"name","op":null,"val":"x"}]',            'filter[0].op'],
  ['[{"name":"birth_date","op":"like","val":"18%"}]',  'filter[0].op', 'birth_date', 'like'],
  ['[{"name":"birth_date","op":"match","val":"18"}]',  'filter[0].op', 'birth_date', 'match'],
  ['[{"name":"birth_date","op":"startswith","val":"18"}]', 'filter[0].op', 'birth_date', 'startswith'],
  ['[{"name":"id","op":"like","val":"1"}]',            'filter[0].op', 'id', 'like'],
  ['[{"name":"name","op":"any","val":null}]',          'filter[0].op', 'name', 'any'],
  ['[{"name":"name","op":"has","val":null}]',          'filter[0].op', 'name', 'has'],
  ['[{"name":"computers","op":"has","val":null}]',     'filter[0].op', 'computers', 'any'],
  ['[{"name":"computers","op":"gt","val":null}]',      'filter[0].op', 'computers', 'gt'],
  ['[{"name":"computers","op":"in_","val":[null]}]',   'filter[0].op', 'computers', 'in_'],
  ['[{"name":"computers__owner","op":"any","val":null}]', 'filter[0].op', 'owner', 'has'],
]

// biome-ignore format: a table, one filter a row
const values: readonly Row[] = [
  ['[{"name":"name","op":"eq","val":5}]',              'filter[0].val', 'name'],
  ['[{"name":"name","op":"eq","val":true}]',           'filter[0].val', 'name'],
  ['[{"name":"name","op":"eq","val":["x"]}]',          'filter[0].val', 'name'],
  ['[{"name":"name","op":"eq","val":{}}]',             'filter[0].val', 'name'],
  ['[{"name":"name","op":"like","val":5}]',            'filter[0].val', 'name'],
  ['[{"name":"name","op":"eq","val":"a\\u0000b"}]',    'filter[0].val', 'name'],
  ['[{"name":"name","op":"eq","val":"\\ud800"}]',      'filter[0].val', 'name'],
  ['[{"name":"birth_date","op":"eq","val":"x"}]',      'filter[0].val', 'birth_date', 'x', 'YYYY-MM-DD'],
  ['[{"name":"birth_date","op":"eq","val":"1999-02-29"}]', 'filter[0].val', 'birth_date', '1999-02-29'],
  ['[{"name":"birth_date","op":"gt","val":1999}]',     'filter[0].val', 'birth_date', '1999'],
  ['[{"name":"id","op":"eq","val":"abc"}]',            'filter[0].val', 'id', 'abc'],
  ['[{"name":"id","op":"eq","val":1.5}]',              'filter[0].val', 'id', '1.5'],
  ['[{"name":"id","op":"eq","val":"9223372036854775808"}]', 'filter[0].val', 'id'],
  ['[{"name":"id","op":"eq","val":true}]',             'filter[0].val', 'id'],
  ['[{"name":"computers__id","op":"eq","val":"x"}]',   'filter[0].val', 'id', 'x'],
  ['[{"name":"name","op":"in_","val":"x"}]',           'filter[0].val', 'array'],
  ['[{"name":"name","op":"in_","val":null}]',          'filter[0].val', 'array'],
  ['[{"name":"name","op":"in_","val":{}}]',            'filter[0].val', 'array'],
  ['[{"name":"name","op":"in_","val":["x",5]}]',       'filter[0].val', 'name'],
  ['[{"name":"birth_date","op":"notin_","val":["x"]}]', 'filter[0].val', 'birth_date'],
  ['[{"name":"name","op":"between","val":"x"}]',       'filter[0].val', 'two'],
  ['[{"name":"name","op":"between","val":["x"]}]',     'filter[0].val', 'two'],
  ['[{"name":"name","op":"between","val":["a","b","c"]}]', 'filter[0].val', 'two'],
  ['[{"name":"name","op":"between","val":["a",5]}]',   'filter[0].val', 'name'],
  ['[{"name":"computers","op":"eq","val":"1"}]',       'filter[0]', 'computers', 'null'],
  ['[{"name":"computers","op":"any","val":"x"}]',      'filter[0].val'],
  ['[{"name":"computers","op":"any","val":5}]',        'filter[0].val'],
  ['[{"name":"computers","op":"any","val":["x"]}]',    'filter[0].val[0]'],
  ['[{"name":"computers","op":"any","val":{"name":"nam","op":"eq","val":"x"}}]', 'filter[0].val.name', 'nam'],
  ['[{"name":"computers","op":"any","val":[{"name":"serial","op":"gte","val":"x"}]}]', 'filter[0].val[0].op', 'serial', 'did you mean "ge"?'],
]

// biome-ignore format: a table, one filter a row
const shapes: readonly Row[] = [
  ['[5]',                                              'filter[0]'],
  ['["name"]',                                         'filter[0]'],
  ['[null]',                                           'filter[0]'],
  ['[[]]',                                             'filter[0]'],
  ['[{"op":"eq","val":"x"}]',                          'filter[0].name', 'name'],
  ['[{"name":"name","val":"x"}]',                      'filter[0].op', 'op'],
  ['[{"name":"name","op":"eq"}]',                      'filter[0]', 'val', 'field'],
  ['[{"name":"name","op":"eq","val":"x","field":"gender"}]', 'filter[0]', 'val', 'field'],
  ['[{"name":"name","op":"between","field":"gender"}]', 'filter[0]', 'between'],
  ['[{"name":"name","op":"in_","field":"gender"}]',    'filter[0]', 'in_'],
  ['[{"name":"computers","op":"any","field":"name"}]', 'filter[0]', 'any'],
  ['[{"name":"computers","op":"eq","field":"name"}]',  'filter[0]'],
  ['[{"name":"name","op":"eq","value":"x"}]',          'filter[0]', 'val'],
  ['[{"name":"name","op":"eq","val":"x","extra":1}]',  'filter[0]', 'extra'],
  ['[{"or":[]}]',                                      'filter[0].or'],
  ['[{"and":[]}]',                                     'filter[0].and'],
  ['[{"or":{}}]',                                      'filter[0].or'],
  ['[{"or":"x"}]',                                     'filter[0].or'],
  ['[{"or":[5]}]',                                     'filter[0].or[0]'],
  ['[{"and":null}]',                                   'filter[0].and'],
  ['[{"not":5}]',                                      'filter[0].not'],
  ['[{"not":null}]',                                   'filter[0].not'],
  ['[{"or":[{"name":"name","op":"eq","val":"x"}],"and":[{"name":"name","op":"eq","val":"x"}]}]', 'filter[0]'],
  ['[{"or":[{"name":"name","op":"eq","val":"x"}],"name":"name"}]', 'filter[0]'],
  ['[{"not":{"and":[{"not":{"name":"nam","op":"eq","val":"x"}}]}}]', 'filter[0].not.and[0].not.name', 'did you mean "name"?'],
  ['{"name":"name","op":"eq","val":"x"}',              'filter'],
  ['"name"',                                           'filter'],
  ['5',                                                'filter'],
  ['null',                                             'filter'],
]

// biome-ignore format: a table, one filter a row
const syntax: readonly string[] = [
  '', '[', '[{]', '[{"name":"name"', "[{'name':'name','op':'eq','val':'x'}]", '[{"name":"name","op":"eq","val":"x"},]',
  'name', '[{"name":"name","op":"eq","val":"x"}]]', '[NaN]', '[undefined]', '(name eq x)',
]

/** Invalid short filters, and texts of the detail of the error. */
// biome-ignore format: a table, one parameter a row
const simple: readonly (readonly [query: string, parameter: string, ...says: string[]])[] = [
  ['filter[quux]=1',              'filter[quux]',              'quux', 'name'],
  ['filter[nam]=1',               'filter[nam]',               'did you mean "name"?'],
  ['filter[password]=1',          'filter[password]',          'password'],
  ['filter[display_name]=1',      'filter[display_name]',      'display_name'],
  ['filter[birth_date]=x',        'filter[birth_date]',        'birth_date', 'x'],
  ['filter[birth_date]=',         'filter[birth_date]',        'birth_date'],
  ['filter[birth_date]=null',     'filter[birth_date]',        'birth_date'],
  ['filter[id]=abc',              'filter[id]',                'id', 'abc'],
  ['filter[id]=',                 'filter[id]',                'id'],
  ['filter[id]=9223372036854775808', 'filter[id]',             'id'],
  ['filter[computers]=1',         'filter[computers]',         'computers'],
  ['filter[computers__quux]=1',   'filter[computers__quux]',   'quux', 'serial'],
  ['filter[computers__id]=x',     'filter[computers__id]',     'id', 'x'],
  ['filter[__proto__]=1',         'filter[__proto__]',         '__proto__'],
  ['filter[name]=%00',            'filter[name]',              'name'],
  ['filter[]=1',                  'filter[]'],
  ['filter[name][eqq]=1',         'filter[name][eqq]', 'did you mean "eq"?'],
  ['filter[birth_date][gte]=1800-01-01', 'filter[birth_date][gte]', 'send filter[birth_date][ge]=1800-01-01 instead'],
  ['filter[gt][birth_date]=1800-01-01',  'filter[gt][birth_date]',  'send filter[birth_date][gt]=1800-01-01 instead'],
  ['filter[birth_date]=gt:1800-01-01',   'filter[birth_date]',      'send filter[birth_date][gt]=1800-01-01 instead'],
  ['filter[birth_date]=>=1800-01-01',    'filter[birth_date]',      'send filter[birth_date][ge]=1800-01-01 instead'],
  ['filter[birth_date][gt][]=1800-01-01', 'filter[birth_date][gt][]', 'send filter[birth_date][gt]=1800-01-01 instead'],
  ['filter[birth_date][between]=1800-01-01', 'filter[birth_date][between]', 'two values'],
  ['filter[name][in_]=Ada,Alan%20%26',  'filter[name][in_]',   'send filter[name][]=Ada&filter[name][]=Alan%20%26 instead'],
  ['filter[name][in]=Ada',        'filter[name][in]',          'send filter[name][in_]=Ada instead'],
  ['filter[id][0]=1',             'filter[id][0]',             'send filter[id][]=1 instead'],
  ['filter[id]=1,x',              'filter[id]',                'id', 'x'],
  ['filter[id]=1,',               'filter[id]',                'id'],
  ['filter[computers][serial]=1', 'filter[computers][serial]', 'send filter[computers.serial]=1 instead'],
  ['filter[computers][serial][like]=1', 'filter[computers][serial][like]', 'send filter[computers.serial][like]=1 instead'],
  ['filter[computers][]=1',       'filter[computers][]',       'send filter[computers.id][]=1 instead'],
  ['filter[computers]=1',         'filter[computers]',         'send filter[computers.id]=1 instead'],
  ['filter[computers.quux]=1',    'filter[computers.quux]',    'quux', 'serial'],
  ['filter[birth_date][is_]=nul', 'filter[birth_date][is_]',   'birth_date', 'nul'],
  ['filter[name][like]=%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25', 'filter[name][like]', 'at most 30'],
  ['filter[name]x=1',             'filter[name]x'],
  ['filter.name=1',               'filter.name'],
]

describeService(
  'Errors of filters',
  (app) => {
    for (const [subject, rows] of Object.entries({ names, operators, values, shapes })) {
      for (const [filter, place, ...says] of rows)
        it(`name the position, the reason and the remedy: ${subject}: ${JSON.stringify(filter)}`, async () => {
          const response = await app.get('/persons', { filter })
          assertErrors(response, 400, { status: 400, at: 'filter', says })
          assert.ok(response.error.detail.startsWith(place), `${place}: ${response.error.detail}`)
        })
    }

    for (const filter of syntax)
      it(`given text that is not JSON, then it is rejected: ${filter.slice(0, 60)}`, async () => {
        assertErrors(await app.get('/persons', { filter }), 400, {
          status: 400,
          at: 'filter',
          says: 'JSON',
        })
      })

    for (const [query, at, ...says] of simple)
      it(`name the parameter of a simple filter: ${query}`, async () => {
        assertErrors(await app.call('GET', '/persons', { query }), 400, { status: 400, at, says })
      })

    it('report every error of every filter together', async () => {
      const filter = [
        { name: 'nam', op: 'eq', val: 'x' },
        {
          or: [
            { name: 'name', op: 'gte', val: 'x' },
            { name: 'birth_date', op: 'eq', val: 'x' },
          ],
        },
        { name: 'computers', op: 'any', val: { name: 'seral', op: 'eq', val: 'x' } },
      ]
      const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&filter[quux]=1&filter[id]=x`
      assertErrors(
        await app.call('GET', '/persons', { query }),
        400,
        { status: 400, at: 'filter', says: 'filter[0].name' },
        { status: 400, at: 'filter', says: 'filter[1].or[0].op' },
        { status: 400, at: 'filter', says: 'filter[1].or[1].val' },
        { status: 400, at: 'filter', says: 'filter[2].val.name' },
        { status: 400, at: 'filter[quux]', says: 'quux' },
        { status: 400, at: 'filter[id]', says: 'id' },
      )
    })

    it('report the missing or invalid name and operator of each filter object', async () => {
      const filter = [{ val: 'x' }, { name: 5, op: 7, val: 'x' }]
      assertErrors(
        await app.get('/persons', { filter }),
        400,
        ...['filter[0].name', 'filter[0].op', 'filter[1].name', 'filter[1].op'].map((place) => ({
          status: 400,
          at: 'filter',
          says: `${place}: `,
        })),
      )
    })

    it('are the same for a hidden name as for an unknown one', async () => {
      const said = async (path: string, name: string) => [
        (await app.get(path, { [`filter[${name}]`]: 'x' })).text.replaceAll(name, 'it'),
        (await app.get(path, { filter: [{ name, op: 'eq', val: 'x' }] })).text.replaceAll(
          name,
          'it',
        ),
        (await app.get(path, { filter: [{ name: 'id', op: 'eq', field: name }] })).text.replaceAll(
          name,
          'it',
        ),
      ]
      assert.deepEqual(await said('/persons', 'password'), await said('/persons', 'pazzword'))
      assert.deepEqual(await said('/computers', 'person_id'), await said('/computers', 'persom_id'))
      const [hidden, unknown] = ['owner__password', 'owner__pazzword']
      const strip = (texts: string[]) => texts.map((text) => text.replaceAll(/pa..word/g, 'it'))
      assert.deepEqual(
        strip(await said('/computers', hidden)),
        strip(await said('/computers', unknown)),
      )
    })

    for (const [levels, open, close] of [
      [100, '{"not":', '}'],
      [100, '{"and":[', ']}'],
      [50, '{"name":"computers","op":"any","val":{"name":"owner","op":"has","val":', '}}'],
    ] as const)
      it(`given a filter of more than 100 nested levels, then it is rejected: ${open}`, async () => {
        const inner = '{"name":"id","op":"eq","val":"1"}'
        const filter = `[${open.repeat(levels)}${inner}${close.repeat(levels)}]`
        assertErrors(await app.get('/persons', { filter }), 400, {
          status: 400,
          at: 'filter',
          says: '100',
        })
      })

    it('given a repeated filter, then it is rejected', async () => {
      const response = await app.call('GET', '/persons', { query: 'filter=[]&filter=[]' })
      assertErrors(response, 400, { status: 400, at: 'filter' })
    })

    it('given a route of one resource or a write, then a filter is 400', async () => {
      const { ada, eniac } = await enter(app)
      const expectedError = { status: 400, at: 'filter', says: 'filter' }
      for (const path of [
        `/persons/${ada.id}`,
        `/computers/${eniac.id}`,
        `/computers/${eniac.id}/owner`,
      ]) {
        assertErrors(await app.get(path, { filter: [] }), 400, expectedError)
        const simple = await app.get(path, { 'filter[name]': 'x' })
        assertErrors(simple, 400, { status: 400, at: 'filter[name]' })
      }
      const body = { data: { type: 'person', attributes: { name: 'Eve' } } }
      assertStatus(await app.post('/persons', body, { filter: [] }), 400)
      assertStatus(await app.delete(`/persons/${ada.id}`, undefined, { filter: [] }), 400)
      assertStatus(await app.get(`/persons/${ada.id}`), 200)
    })
  },
  { isLongOnOthers: true },
)

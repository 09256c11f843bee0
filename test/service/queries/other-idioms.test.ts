import assert from 'node:assert/strict'
import { it } from 'node:test'
import { defineModel } from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { resources } from '../../../service/resources/index.ts'
import { describeService } from '../../service-suite.ts'
import { assertStatus } from '../assert-errors.ts'
import { enter } from '../people.ts'

/** Queries of other servers, and what the error says to send. */
const remedies: readonly (readonly [query: string, form: string])[] = [
  ['page[offset]=20&page[limit]=10', 'page[number]=3&page[size]=10'],
  ['page[limit]=10', 'page[size]=10'],
  ['offset=0&limit=5', 'page[number]=1&page[size]=5'],
  ['page=2', 'page[number]=2'],
  ['page[page]=2', 'page[number]=2'],
  ['per_page=5', 'page[size]=5'],
  ['order=name', 'sort=name'],
  ['sort[name]=desc', 'sort=-name'],
  ['sort=-name,', 'sort=-name'],
  ['sort=,name,-id', 'sort=name,-id'],
  ['include=computers,', 'include=computers'],
  ['name__startswith=A', 'filter[name][startswith]=A'],
  ['where[name]=Ada', 'filter[name]=Ada'],
  ['filter[name][contains]=d', 'filter[name][like]=%25d%25'],
  ['filter[computers]=null', 'filter[computers][is_]=null'],
  ['filter[computers][eq]=null', 'filter[computers][is_]=null'],
  ['filter[computers][ne]=null', 'filter[computers][isnot]=null'],
  ['filter[id]=null', 'filter[id][is_]=null'],
  ['filter[id][eq]=null', 'filter[id][is_]=null'],
  ['filter[id][ne]=null', 'filter[id][isnot]=null'],
  ['filter[id][ne]=1,2', 'filter[id][notin_][]=1&filter[id][notin_][]=2'],
  ['filter[id][]=1,2', 'filter[id][]=1&filter[id][]=2'],
  ['filter[id][]=1,2&filter[id][]=3', 'filter[id][]=1&filter[id][]=2&filter[id][]=3'],
  ['filter[id]=1,%202', 'filter[id][]=1&filter[id][]=2'],
  ['filter=name=Ada', 'filter[name]=Ada'],
  ['filter=id%3E1', 'filter[id][gt]=1'],
  ['filter=id%20ge%201', 'filter[id][ge]=1'],
  ['filter=name=null', 'filter[name][is_]=null'],
  ['filter[name][$ne]=Ada', 'filter[name][ne]=Ada'],
  ['filter[computers][serial]=x', 'filter[computers.serial]=x'],
  ['filter[or][0][name]=Ada', 'filter=[{"or":[{"name":"name","op":"eq","val":"Ada"}]}]'],
  ['name=Ada', 'filter[name]=Ada'],
  ['birth_date[gt]=1900-01-01', 'filter[birth_date][gt]=1900-01-01'],
  ['birth_date%3E=1900-01-01', 'filter[birth_date][ge]=1900-01-01'],
  ['birth_date%3E1900-01-01', 'filter[birth_date][gt]=1900-01-01'],
  ['birth_date!=1900-01-01', 'filter[birth_date][ne]=1900-01-01'],
  ['birth_date_lte=1900-01-01', 'filter[birth_date][le]=1900-01-01'],
  ['birth_date.lt=1900-01-01', 'filter[birth_date][lt]=1900-01-01'],
  ['brith_date=1900-01-01', 'filter[birth_date]=1900-01-01'],
  ['name[contains]=d', 'filter[name][like]=%25d%25'],
  ['name=50%25', 'filter[name]=50%25'],
  ['id[]=1&id[]=2', 'filter[id][]=1&filter[id][]=2'],
  ['id=1,2', 'filter[id]=1,2'],
  ['computers.serial=x', 'filter[computers.serial]=x'],
  ['computers__serial__like=x', 'filter[computers.serial][like]=x'],
  ['computers[serial]=x', 'filter[computers.serial]=x'],
  ['computers[owner][name][like]=x', 'filter[computers.owner.name][like]=x'],
  ['computers=1', 'filter[computers.id]=1'],
  ['computers=null', 'filter[computers][is_]=null'],
  ['sort_by=name&order=desc', 'sort=-name'],
  ['order=asc&sort_by=name', 'sort=name'],
  ['Sort=name', 'sort=name'],
  ['srot=-name', 'sort=-name'],
  ['incldue=computers', 'include=computers'],
  ['withcount=computers', 'withCount=computers'],
  ['fields=name', 'fields[person]=name'],
  ['field[person]=name', 'fields[person]=name'],
  ['page[sise]=5', 'page[size]=5'],
  ['filter[not][name][like]=A', 'filter=[{"not":{"name":"name","op":"like","val":"A"}}]'],
]

/** Terms of a sort of other servers, and the term that the error says to send. */
const terms: readonly (readonly [sent: string, meant: string])[] = [
  ['owner__name', 'owner.name'],
  ['-owner__name', '-owner.name'],
  ['serial:desc', '-serial'],
  ['serial%20desc', '-serial'],
  ['serial%20ASC', 'serial'],
  ['%2Bserial', 'serial'],
]

describeService('Queries in the forms of other servers', (app) => {
  for (const [query, form] of remedies)
    it(`are rejected with the form that works: ${query}`, async () => {
      await enter(app)
      const { status, body } = await app.call('GET', `/persons?${query}`)
      assert.equal(status, 400)
      const [error] = body.errors ?? []
      const detail = String(error?.detail)
      assert.ok(detail.includes(`send ${form} instead`), detail)
      assertStatus(await app.call('GET', `/persons?${form}`), 200)
    })

  it('are rejected with a form that works, for any field, operator and value', async () => {
    await enter(app)
    const operators = [
      '',
      '[eq]',
      '[ne]',
      '[!=]',
      '[is]',
      '[gt]',
      '[in]',
      '[in_]',
      '[notin_]',
      '[]',
    ]
    operators.push('[0]', '[contains]', '[between]', '[like]', '[any]', '[equals]')
    const values = [
      'null',
      '1',
      '1,2',
      '1, 2',
      ' 1',
      'x',
      'gt:1',
      '>1',
      'is:null',
      'in:1,2',
      '50%',
      'eq:x',
      '',
    ]
    let forms = 0
    for (const [path, names] of [
      ['/persons', ['id', 'name', 'computers', 'computers.id', 'computers.owner']],
      ['/computers', ['id', 'serial', 'owner', 'owner.id', 'owner.name']],
    ] as const)
      for (const name of names)
        for (const operator of operators)
          for (const value of values) {
            let query = `filter[${name}]${operator}=${encodeURIComponent(value)}`
            for (let step = 0; step < 3; step += 1) {
              const { status, body } = await app.call('GET', `${path}?${query}`)
              const detail = String(body.errors?.[0]?.detail)
              const [, form] = / send (filter\S+) instead/.exec(detail) ?? []
              // A form with the right operator may have a value that is none of the field.
              const isRight =
                status === 200 ||
                form !== undefined ||
                /must (?:be compared|have two values)/.test(detail)
              assert.ok(step === 0 || isRight, `${query}: ${detail}`)
              assert.notEqual(form, query)
              if (form === undefined) break
              query = form
              forms += 1
            }
          }
    assert.ok(forms > 200, String(forms))
  })

  it('are rejected with a form that works, for any field as the name of a parameter', async () => {
    await enter(app)
    const operators = [
      '',
      '[eq]',
      '[gte]',
      '[ne]',
      '[]',
      '[in]',
      '_lt',
      '__gt',
      '.le',
      '%3E',
      '!',
      '%3C',
    ]
    const values: Readonly<Record<string, readonly string[]>> = {
      id: ['1', '2'],
      text: ['x', 'a b', '50%'],
      date: ['1900-01-01'],
    }
    const lists = {
      '/persons': {
        ...{ id: 'id', name: 'text', gender: 'text', birth_date: 'date' },
        ...{
          'computers.id': 'id',
          'computers.serial': 'text',
          'computers.owner.birth_date': 'date',
        },
      },
      '/computers': { id: 'id', serial: 'text', 'owner.name': 'text', 'owner.birth_date': 'date' },
    } as const
    let forms = 0
    for (const [path, fields] of Object.entries(lists))
      for (const [name, kind] of Object.entries(fields))
        for (const written of new Set([
          name,
          name.replaceAll('.', '__'),
          name.replace(/\.(\w+)/g, '[$1]'),
        ]))
          for (const operator of operators)
            for (const value of values[kind] ?? []) {
              // No client writes a suffix of a field behind a bracket.
              if (written.endsWith(']') && /^[_.]/.test(operator)) continue
              // `owner.birth_date_lt` is the name of a field.
              if (name.includes('.') && operator === '_lt') continue
              let query = `${written}${operator}=${encodeURIComponent(value)}`
              let { status, body } = await app.call('GET', `${path}?${query}`)
              for (let step = 0; step < 2 && status !== 200; step += 1) {
                const detail = String(body.errors?.[0]?.detail)
                const [, form] = / send (filter\S+) instead/.exec(detail) ?? []
                assert.ok(form, `${query}: ${detail}`)
                query = form
                forms += 1
                const next = await app.call('GET', `${path}?${query}`)
                status = next.status
                body = next.body
              }
              assert.equal(status, 200, query)
            }
    assert.ok(forms > 300, String(forms))
  })

  it('are rejected without a filter where there is none', async () => {
    const { ada } = await enter(app)
    const { status, body } = await app.call('GET', `/persons/${ada.id}?name=Ada`)
    assert.equal(status, 400)
    const problem = 'this URL returns one resource, and only collections can be filtered'
    assert.equal(body.errors?.[0]?.detail, `There is no parameter "name"; ${problem}.`)
  })

  it('that work are described behind the JSON of filters', async () => {
    const { parameters } = describeApi(defineModel(resources)).components
    const description = String(Object(parameters['person.filter']).description)
    const forms = [...description.matchAll(/`(filter\[[^`]*)`/g)].map(([, form = '']) => form)
    assert.deepEqual(forms, [
      ...['filter[a]=value', 'filter[a][gt]=value', 'filter[a.b]=value', 'filter[a__b]=value'],
      ...['filter[a][]=1&filter[a][]=2', 'filter[a]=1,2'],
    ])
    assert.ok(description.indexOf('[{"name"') < description.indexOf('filter['), description)
    for (const form of forms) {
      const named = form.replaceAll('[a]', '[id]').replace('a.b', 'computers.serial')
      const query = named.replace('a__b', 'computers__serial').replace('value', '1')
      assertStatus(await app.call('GET', `/persons?${query}`), 200)
    }
  })

  for (const [sent, meant] of terms)
    it(`are rejected with the term that works: sort=${sent}`, async () => {
      const { status, body } = await app.call('GET', `/computers?sort=id,${sent}`)
      assert.equal(status, 400)
      const [error] = body.errors ?? []
      const detail = String(error?.detail)
      assert.ok(detail.endsWith(`send "${meant}" in its place.`), detail)
      assertStatus(await app.call('GET', `/computers?sort=id,${meant}`), 200)
    })

  for (const [sent, meant] of [
    ['page[computers][size]=1', 'includePage[computers][size]=1'],
    ['limit[computers]=1', 'includePage[computers][size]=1'],
    ['sort[computers]=-serial', 'includeSort[computers]=-serial'],
    ['includePage[computers]=1', 'includePage[computers][size]=1'],
    [
      'includeFilter[computers][serial]=x',
      'includeFilter[computers]=[{"name":"serial","op":"eq","val":"x"}]',
    ],
  ] as const)
    it(`are rejected with the form that works for included members: ${sent}`, async () => {
      await enter(app)
      const { status, body } = await app.call('GET', `/persons?include=computers&${sent}`)
      assert.equal(status, 400)
      const detail = String(body.errors?.[0]?.detail)
      assert.ok(detail.includes(`send ${meant} instead`), detail)
      assertStatus(await app.call('GET', `/persons?include=computers&${meant}`), 200)
    })

  it('name no form that is wrong, too', async () => {
    for (const query of [
      'filter[name][like][ne]=a',
      'page[offset]=5',
      'filter[]=1',
      'zzz=1',
      'xx=1',
    ]) {
      const { status, body } = await app.call('GET', `/persons?${query}`)
      assert.equal(status, 400)
      assert.doesNotMatch(String(body.errors?.[0]?.detail), /send filter|send page\[number\]=/)
    }
  })
})

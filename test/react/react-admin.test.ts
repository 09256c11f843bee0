import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client/index.ts'
import {
  attribute,
  createHandler,
  defineModel,
  resource,
  text,
  toMany,
  toOne,
} from '../../src/index.ts'
import { openSqlite } from '../../src/sqlite/store.ts'
import { closeWindow } from './dom.ts'

// After the globals of a browser.
const { createElement } = await import('react')
const admin = await import('react-admin')
const { QueryClient } = await import('@tanstack/react-query')
const { cleanup, configure, fireEvent, render, screen, waitFor } = await import(
  '@testing-library/react'
)
const { default: polyglot } = await import('ra-i18n-polyglot')
const { default: english } = await import('ra-language-english')

/** The components have no types here. */
const h: (...parts: readonly unknown[]) => unknown = (...parts) =>
  Reflect.apply(createElement, undefined, parts)

const person = resource('persons', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    label: attribute(text, { access: 'read-only' }),
    computers: toMany('computers', { column: 'person_id' }),
  },
})
const computer = resource('computers', {
  path: '/computers',
  table: 'computer',
  fields: {
    serial: attribute(text, { required: true }),
    label: attribute(text, { access: 'read-only' }),
    owner: toOne('persons', { column: 'person_id' }),
  },
})
const model = defineModel([person, computer])
const tables = `
  create table person (id integer primary key, name text not null, label text);
  create table computer (id integer primary key, serial text not null, label text, person_id integer references person (id));
  insert into person (name, label) values ('Ada', 'x'), ('Grace', 'y');
  insert into computer (serial, label, person_id) values ('A-1', 'a', 1), ('A-2', 'b', 1), ('G-1', 'c', 2);`

const path = join(mkdtempSync(join(tmpdir(), 'react-admin-')), 'admin.db')
const store = openSqlite(model, path, { create: true })
await store.migrate([{ version: 1, sql: tables }])
const handle = createHandler({ model, store })
const requests: string[] = []
const client = createClient({
  url: 'http://localhost',
  fetch: (url, { signal: _, ...init }) => {
    requests.push(`${init.method} ${decodeURIComponent(url)}`)
    return handle(new Request(url, init))
  },
})

const example = fileURLToPath(
  new URL('../../examples/react-admin/data-provider.js', import.meta.url),
)
const { createDataProvider } = await import(example)
const dataProvider = createDataProvider(client, { computers: ['owner'], persons: ['computers'] })
const i18nProvider = polyglot(() => english)
// The machine may be slow.
configure({ asyncUtilTimeout: 20_000 })
/** Without timers, which would keep the process running. */
const queryClient = () => new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } })

// Something in the components keeps the process running; what the tests have reported is sent by then.
after(() => {
  setTimeout(() => process.exit(), 500)
})

describe('The data provider for react-admin', () => {
  afterEach(() => {
    cleanup()
    requests.length = 0
  })
  after(async () => {
    await store.close()
    closeWindow()
  })
  const show = (element: unknown) =>
    render(
      h(
        admin.TestMemoryRouter,
        null,
        h(admin.AdminContext, { dataProvider, i18nProvider, queryClient: queryClient() }, element),
      ),
    )

  it('has at most 40 lines', () => {
    assert.ok(readFileSync(example, 'utf8').trimEnd().split('\n').length <= 40)
  })

  it('shows a list with the related resources', async () => {
    const name = h(admin.TextField, { source: 'name' })
    const owner = h(admin.ReferenceField, { source: 'owner', reference: 'persons' }, name)
    const rows = h(admin.Datagrid, null, h(admin.TextField, { source: 'serial' }), owner)
    const sort = { field: 'serial', order: 'DESC' }
    show(h(admin.List, { resource: 'computers', sort, perPage: 2 }, rows))
    for (const shown of ['Grace', 'Ada', 'G-1', 'A-2', /1-2 of 3/]) await screen.findByText(shown)
    assert.equal(screen.queryByText('A-1'), null)
    // The related resources of all rows in one request.
    assert.equal(requests.filter((each) => each.includes('/persons')).length, 1)
  })

  it('shows a resource with those that refer to it', async () => {
    const serials = h(
      admin.Datagrid,
      { bulkActionButtons: false },
      h(admin.TextField, { source: 'serial' }),
    )
    const computers = h(
      admin.ReferenceManyField,
      { reference: 'computers', target: 'owner', sort: { field: 'serial', order: 'ASC' } },
      serials,
    )
    const layout = h(
      admin.SimpleShowLayout,
      null,
      h(admin.TextField, { source: 'name' }),
      computers,
    )
    show(h(admin.Show, { resource: 'persons', id: '1' }, layout))
    for (const shown of ['Ada', 'A-1', 'A-2']) await screen.findByText(shown)
    assert.equal(screen.queryByText('G-1'), null)
  })

  it('pages between cursors the types that take no other pages', async (test) => {
    const model = defineModel([person, computer], { pages: { by: 'cursor' } })
    const store = openSqlite(model, path)
    test.after(() => store.close())
    const byCursor = createHandler({ model, store })
    const client = createClient({
      url: 'http://localhost',
      fetch: (url, { signal: _, ...init }) => byCursor(new Request(url, init)),
    })
    const provider = createDataProvider(client, {})
    const sort = { field: 'serial', order: 'ASC' }
    const pageOf = async (page: number) => {
      const pagination = { page, perPage: 1 }
      const { data } = await provider.getList('computers', { pagination, sort, filter: {} })
      return data.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual([await pageOf(1), await pageOf(2), await pageOf(3)], [['1'], ['2'], ['3']])
    assert.equal((await provider.getMany('computers', { ids: ['1', '3'] })).data.length, 2)
    const pagination = { page: 1, perPage: 5 }
    const target = { target: 'owner', id: '1', pagination, sort, filter: {} }
    assert.equal((await provider.getManyReference('computers', target)).data.length, 2)
  })

  it('replaces no relationship by the part of it that a record lists', async (test) => {
    const computers = toMany('computers', { column: 'person_id', include: { size: 1 } })
    const paged = resource('persons', {
      ...{ path: '/persons', table: 'person' },
      fields: { name: attribute(text, { required: true }), computers },
    })
    const model = defineModel([paged, computer])
    const store = openSqlite(model, path)
    test.after(() => store.close())
    const handle = createHandler({ model, store })
    const client = createClient({
      url: 'http://localhost',
      fetch: (url, { signal: _, ...init }) => handle(new Request(url, init)),
    })
    const provider = createDataProvider(client, { persons: ['computers'] })
    const { data: previousData } = await provider.getOne('persons', { id: '1' })
    assert.deepEqual(previousData.computers, ['1'])
    // As a form and the cache of TanStack Query copy records.
    const data = { ...structuredClone(previousData), name: 'Ada L.', computers: ['1', '3'] }
    const refused = { status: 400 }
    await assert.rejects(provider.update('persons', { id: '1', data, previousData }), refused)
    const renamed = { ...structuredClone(previousData), name: 'Ada L.' }
    await provider.update('persons', { id: '1', data: renamed, previousData })
    const all = { target: 'owner', id: '1', pagination: { page: 1, perPage: 5 }, filter: {} }
    assert.equal((await provider.getManyReference('computers', all)).data.length, 2)
  })

  it('sends the changed fields of a form', async () => {
    const select = h(admin.SelectInput, { optionText: 'name' })
    const owner = h(admin.ReferenceInput, { source: 'owner', reference: 'persons' }, select)
    const form = h(admin.SimpleForm, null, h(admin.TextInput, { source: 'serial' }), owner)
    const options = { mutationMode: 'pessimistic', redirect: false }
    show(h(admin.Edit, { resource: 'computers', id: '3', ...options }, form))
    fireEvent.change(await screen.findByDisplayValue('G-1'), { target: { value: 'G-2' } })
    fireEvent.click(screen.getByRole('button', { name: /save/i }))
    await waitFor(() =>
      assert.ok(
        requests.some(
          (each) =>
            each.startsWith('PATCH /computers/3') ||
            each.includes('PATCH http://localhost/computers/3'),
        ),
      ),
    )
    await waitFor(async () => {
      const found = await handle(new Request('http://localhost/computers/3?include=owner'))
      const { data } = Object(await found.json())
      assert.equal(data.attributes.serial, 'G-2')
      assert.equal(data.relationships.owner.data.id, '2')
    })
  })
})

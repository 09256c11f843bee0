import { createApi, createHandler } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { model } from './declarations.js'

export const store = openSqlite(model, 'articles.db')
export const catalog = store.catalog()
export const postgres = openPostgres(model, 'postgres://localhost/articles')
export const handler = createHandler({ model, store })

export const api = createApi({ model, store })
export const client = api.with({})
export const listed = client.list('article', { include: ['author'] })
export const created = client.create('person', { name: 'Ada' })
export const found = client.get('article', '1')

import { createApi, createHandler } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { model, teamModel } from './declarations.js'

export const store = openSqlite(model, 'articles.db')
export const catalog = store.catalog()
export const postgres = openPostgres(model, 'postgres://localhost/articles')
export const handler = createHandler({ model, store })

export const api = createApi({ model, store })
export const client = api.with({})
export const listed = client.list('article', { include: ['author'] })
export const created = client.create('person', { name: 'Ada' })
export const found = client.get('article', '1')

const teamStore = openSqlite(teamModel, 'team.db')
export const teamApi = createApi({ model: teamModel, store: teamStore })
export const { with: getTeamClient } = teamApi
export const ada = getTeamClient({ auth: { id: '1' } })
export const closed = ada.call('note', 'close', { id: '1', parameters: { note: 'x', day: null } })
export const totals = ada.list('total', { filter: { since: '2024-01-01' } })

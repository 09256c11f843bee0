import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import { model } from './declarations.js'

export const store = openSqlite(model, 'articles.db')
export const catalog = store.catalog()
export const postgres = openPostgres(model, 'postgres://localhost/articles')

import { sealCursor } from '../../src/plan/cursor.ts'
import { orderOf } from '../cursor-order.ts'
import { model } from './model.ts'

/** Writes a cursor: the position on a row with these keys. */
function at(type: string, sort: string, keys: readonly (string | number | null)[]): string {
  const values = keys.map((key) => key && `${typeof key === 'number' ? 'i' : 't'}${key}`)
  return sealCursor({ place: 'on', keys: values }, orderOf(model, type, sort))
}

const end = sealCursor({ place: 'end' }, orderOf(model, 'book', 'title,id'))
const book = at('book', 'id', [1])
const titled = at('book', 'title,-pages,id', ['B', 20, 2])
const later = at('book', 'title,-pages,id', ['C', null, 3])
const byAuthor = at('book', '-author.name,id', ['Ada', 1])
const unnamed = at('book', 'author.name,id', [null, 1])

/** Addresses of pages between cursors: a branch for each key of the sort, and for the nulls behind it. */
export const cursorPaths: readonly string[] = [
  '/books?page[total]=none&page[size]=2',
  '/books?page[total]=capped&page[cursors]=true&page[size]=1',
  `/books?page[after]=${book}&page[size]=1`,
  `/books?sort=title,-pages&page[after]=${titled}&page[total]=none`,
  `/books?sort=title,-pages&page[before]=${titled}&page[total]=none`,
  `/books?sort=title,-pages&page[after]=${later}&page[total]=none`,
  `/books?sort=title,-pages&page[after]=${titled}&page[before]=${later}&page[total]=none`,
  `/books?sort=title&page[before]=${end}&page[total]=none&page[size]=2`,
  '/books?sort=-author.name&page[total]=none',
  `/books?sort=-author.name&page[after]=${byAuthor}&page[total]=none&include=author`,
  `/books?sort=author.name&page[after]=${unnamed}&page[total]=none`,
  '/chapters?sort=-book.author.name&page[total]=none',
  '/books?sort=-author.teacher.id&page[total]=none',
  `/authors?sort=-books.count&page[after]=${at('author', '-books.count,id', [1, 1])}&page[total]=none`,
  `/authors?sort=initial&page[after]=${at('author', 'initial,id', ['A', 1])}&page[total]=none`,
  `/chapters?page[after]=${at('chapter', 'id', [1, 1])}&page[total]=none`,
  `/authors/2/books?page[after]=${book}&page[total]=none`,
  `/authors/2/relationships/books?page[after]=${book}&page[total]=none`,
  `/authors/2?include=books&includeSort[books]=title,-pages&includePage[books][after]=${titled}`,
]

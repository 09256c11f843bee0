import type { CollectionRequest } from '../reference/reference.ts'
import type { Selection } from '../reference/reference-document.ts'
import { getType, type Schema } from '../schema.ts'
import { jsonOf } from './exact-json.ts'

/** The path of a resource. */
export function resourcePath(schema: Schema, type: string, id: string): string {
  return `${getType(schema, type).path}/${encodeURIComponent(id)}`
}

/** The path of the requested collection. */
export function pathOf(schema: Schema, { type, of }: CollectionRequest): string {
  if (of === undefined) return getType(schema, type).path
  return `${resourcePath(schema, of.type, of.id)}/${of.relationship}`
}

/** The query's names and values; parameters that would say nothing are left out. */
export function pairsOf(
  request: CollectionRequest,
  selection: Partial<Selection> = {},
): (readonly [name: string, value: string])[] {
  const { filters, simple, sort, page } = request
  return [
    ...(filters.length > 0 ? [['filter', jsonOf(filters)] as const] : []),
    ...simple.map(([name, value]) => [`filter[${name}]`, value] as const),
    ...(sort.length > 0 ? [['sort', sort.join(',')] as const] : []),
    ['page[size]', String(page.size)],
    ...(page.number > 1 ? [['page[number]', String(page.number)] as const] : []),
    ...(selection.include?.length ? [['include', selection.include.join(',')] as const] : []),
    ...(selection.withCount?.length ? [['withCount', selection.withCount.join(',')] as const] : []),
    ...Object.entries(selection.fields ?? {}).map(
      ([type, names]) => [`fields[${type}]`, names.join(',')] as const,
    ),
  ]
}

/** The query string, percent-encoded. */
export function queryOf(request: CollectionRequest, selection: Partial<Selection> = {}): string {
  return pairsOf(request, selection)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

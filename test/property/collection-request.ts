import type { CollectionRequest } from './reference.ts'
import type { Selection } from './reference-document.ts'

/** The path of the collection that is asked. */
export function pathOf({ type, of }: CollectionRequest): string {
  if (of !== undefined) return `/persons/${of}/computers`
  return type === 'person' ? '/persons' : '/computers'
}

/** The query string, percent-encoded; parameters that would say nothing are left out. */
export function queryOf(request: CollectionRequest, selection: Partial<Selection> = {}): string {
  const { filters, simple, sort, page } = request
  const parameters: (readonly [string, string])[] = [
    ...(filters.length > 0 ? [['filter', JSON.stringify(filters)] as const] : []),
    ...simple.map(([name, value]) => [`filter[${name}]`, value] as const),
    ...(sort.length > 0 ? [['sort', sort.join(',')] as const] : []),
    ['page[size]', String(page.size)],
    ...(page.number > 1 ? [['page[number]', String(page.number)] as const] : []),
    ...(selection.include?.length ? [['include', selection.include.join(',')] as const] : []),
    ...Object.entries(selection.fields ?? {}).map(
      ([type, names]) => [`fields[${type}]`, names.join(',')] as const,
    ),
  ]
  return parameters
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

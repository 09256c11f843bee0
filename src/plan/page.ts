import { ParameterError } from '../errors/errors.ts'
import type { Model } from '../model/model.ts'
import type { ParsedPage } from '../parse/page.ts'

/** A page of a list: `size` resources, `number` counted from 1. */
export interface Page {
  readonly size: number
  readonly number: number
}

/**
 * Applies the model's page sizes to the `page` parameters.
 *
 * @returns `undefined` for the full list (`page[size]=0`)
 * @throws ParameterError `invalid_page` (400) if the size exceeds the model's maximum, or is 0 although there is a maximum
 * @see https://jsonapi.org/format/1.0/#fetching-pagination
 */
export function planPage(page: ParsedPage, model: Model): Page | undefined {
  const { maxPageSize } = model
  const size = page.size ?? Math.min(model.pageSize, maxPageSize ?? Number.POSITIVE_INFINITY)
  if (maxPageSize !== undefined && (size > maxPageSize || size === 0)) {
    const detail = `page[size] must be between 1 and ${maxPageSize} here; it is ${size}.`
    throw new ParameterError('invalid_page', 'page[size]', detail)
  }
  return size === 0 ? undefined : { size, number: page.number ?? 1 }
}

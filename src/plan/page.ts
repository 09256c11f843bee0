import { ParameterError } from '../errors/errors.ts'
import type { Model } from '../model/model.ts'
import type { PageWords } from '../parse/page.ts'

/** The part of a list that is asked for: `size` resources a page, pages counted from 1. */
export interface Page {
  readonly size: number
  readonly number: number
}

/**
 * Settles which page is meant.
 *
 * @returns `undefined` for all of it (`page[size]=0`)
 * @throws ParameterError `invalid_page` (400) above the service's largest size, which no size at all is too
 * @see seed §8; SERVICE §5
 */
export function planPage(words: PageWords, model: Model): Page | undefined {
  const size = words.size ?? Math.min(model.pageSize, model.maxPageSize ?? Number.POSITIVE_INFINITY)
  const { maxPageSize } = model
  if (maxPageSize !== undefined && (size > maxPageSize || size === 0)) {
    const detail = `page[size] must be between 1 and ${maxPageSize} here; it is ${size}.`
    throw new ParameterError('invalid_page', 'page[size]', detail)
  }
  return size === 0 ? undefined : { size, number: words.number ?? 1 }
}

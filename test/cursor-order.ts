import { getResourceType, type Model } from '../src/model/model.ts'
import { parseSort } from '../src/parse/sort.ts'
import type { CursorOrder } from '../src/plan/cursor.ts'
import { cursorOrder } from '../src/plan/page.ts'
import { planSort } from '../src/plan/sort.ts'

/** The order to which the cursors of a sort are bound. */
export function orderOf(model: Model, type: string, sort: string): CursorOrder {
  const resource = getResourceType(model, type)
  return cursorOrder(resource, planSort(parseSort(sort), resource, model), model)
}

import { readQuery } from '../parse/query.ts'
import { checkNoQuery } from '../plan/read.ts'
import { homeDocument } from '../serialize/document.ts'
import type { Endpoint } from './handler.ts'

/** `GET /`: what there is and where. */
export const home: Endpoint = async ({ search }, { model, base, about }) => {
  checkNoQuery(readQuery(search))
  const resources = [...model.types.values()].map(({ type, path, description }) => [
    type,
    { path: base + path, ...(description !== undefined && { description }) },
  ])
  return {
    status: 200,
    body: homeDocument({ ...about, resources: Object.fromEntries(resources) }, `${base}/`),
  }
}

import { parseQuery } from '../parse/query.ts'
import { checkNoParameters } from '../plan/read.ts'
import type { Handler } from './handler.ts'

/** `GET /`: the resource types and their paths. */
export const getRoot: Handler = async ({ search }, { planner, prefix, rootMeta, serializer }) => {
  checkNoParameters(parseQuery(search))
  const resources = [...planner.model.types.values()].map(({ type, path, description }) => [
    type,
    { path: prefix + path, ...(description !== undefined && { description }) },
  ])
  const meta = { ...rootMeta, resources: Object.fromEntries(resources) }
  return { status: 200, body: serializer.serializeRoot(meta, `${prefix}/`) }
}

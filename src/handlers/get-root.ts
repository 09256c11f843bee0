import { parseQuery } from '../parse/query.ts'
import { checkNoParameters } from '../plan/read.ts'
import type { Handler } from './handler.ts'

/** `GET /`: the resource types with their paths, and the related types of their relationships. */
export const getRoot: Handler = async ({ search }, { planner, prefix, rootMeta, serializer }) => {
  checkNoParameters(parseQuery(search))
  const resources = [...planner.model.types.values()].map(({ type, path, description, fields }) => [
    type,
    {
      path: prefix + path,
      ...(description !== undefined && { description }),
      relationships: Object.fromEntries(
        [...fields.values()].flatMap((field) =>
          field.is === 'relationship' ? [[field.name, field.to]] : [],
        ),
      ),
    },
  ])
  const meta = { ...rootMeta, resources: Object.fromEntries(resources) }
  return { status: 200, body: serializer.serializeRoot(meta, `${prefix}/`) }
}

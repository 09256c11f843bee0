import type { ResourceType } from '../model/model.ts'
import { resolveParameter } from '../model/parameter.ts'
import { mediaType } from '../parse/negotiate.ts'
import type { NamedAction } from '../plan/action.ts'
import type { SchemaContext } from './resource-schemas.ts'
import type { ExchangedByName } from './responses.ts'
import { objectOf, openObject, orNull } from './schema.ts'

/** Returns the name of an action in a description, e.g. `issues.actions.close`. Ids of operations are parts of URLs in many tools. */
export function nameAction(
  { type }: ResourceType,
  action: string,
  { nameType }: SchemaContext,
): string {
  return `${nameType(type)}.actions.${encodeURIComponent(action).replaceAll('%', '_')}`
}

/**
 * Describes the bodies of the calls of a type's actions: the parameters in `meta`. Those of an action without
 * parameters may be empty, but are described too: a call needs their media type.
 */
export function describeActionBodies(
  resource: ResourceType,
  context: SchemaContext,
): ExchangedByName {
  const bodies = [...resource.actions].map(([name, { parameters }]) => {
    const entries = Object.entries(parameters).map(([parameter, declared]) => {
      const { kind, isRequired } = resolveParameter(declared)
      return { parameter, isRequired, schema: isRequired ? kind.schema : orNull(kind.schema) }
    })
    const required = entries.flatMap(({ parameter, isRequired }) => (isRequired ? [parameter] : []))
    const meta = objectOf(
      Object.fromEntries(entries.map(({ parameter, schema }) => [parameter, schema])),
      required,
    )
    const isRequired = required.length > 0
    const schema = openObject({ meta }, isRequired ? ['meta'] : [])
    const body = { required: isRequired, content: { [mediaType]: { schema } } }
    return [nameAction(resource, name, context), body] as const
  })
  return Object.fromEntries(bodies)
}

/** Describes the responses of the actions that return `meta`. */
export function describeActionResponses(
  resource: ResourceType,
  context: SchemaContext,
): ExchangedByName {
  const responses = [...resource.actions].flatMap(([name, { returns }]) => {
    if (returns === undefined || !('meta' in returns)) return []
    const members = Object.entries(returns.meta).map(
      ([member, { schema }]) => [member, orNull(schema)] as const,
    )
    const meta = objectOf(
      Object.fromEntries(members),
      members.map(([member]) => member),
    )
    const schema = objectOf({ meta, jsonapi: context.ref('jsonapi.object') }, ['meta', 'jsonapi'])
    const response = { description: 'Done.', content: { [mediaType]: { schema } } }
    return [[nameAction(resource, name, context), response] as const]
  })
  return Object.fromEntries(responses)
}

/** Returns the name of the response of an action among the components. */
export function nameActionResponse(
  resource: ResourceType,
  { name, action: { returns } }: NamedAction,
  context: SchemaContext,
): string {
  if (returns === undefined) return 'message'
  if ('meta' in returns) return nameAction(resource, name, context)
  return 'resource' in returns
    ? `${context.nameType(returns.resource)}.document`
    : `${context.nameType(returns.resources)}.collection`
}

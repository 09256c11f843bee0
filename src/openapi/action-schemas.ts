import type { ActionDescription, TypeDescription } from '../describe/describe-type.ts'
import { mediaType } from '../model/media-types.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { type ExchangedByName, withHeaders, writtenHeaders } from './responses.ts'
import { objectOf, openObject, orNull } from './schema.ts'

/** Returns the name of an action in a description, e.g. `issues.actions.close`. Ids of operations are parts of URLs in many tools. */
export function nameAction(
  { type }: TypeDescription,
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
  type: TypeDescription,
  context: SchemaContext,
): ExchangedByName {
  const bodies = type.actions.map(({ name, parameters }) => {
    const members = parameters.map((each) => {
      const { schema } = each.kind
      return [each.name, each.isRequired ? schema : orNull(schema)] as const
    })
    const required = parameters.flatMap((each) => (each.isRequired ? [each.name] : []))
    const meta = objectOf(Object.fromEntries(members), required)
    const isRequired = required.length > 0
    const schema = openObject({ meta }, isRequired ? ['meta'] : [])
    const body = { required: isRequired, content: { [mediaType]: { schema } } }
    return [nameAction(type, name, context), body] as const
  })
  return Object.fromEntries(bodies)
}

/** Describes the responses of the actions that return `meta`. */
export function describeActionResponses(
  type: TypeDescription,
  context: SchemaContext,
): ExchangedByName {
  const responses = type.actions.flatMap(({ name, returns, hasDryRun }) => {
    if (returns === undefined || !('meta' in returns)) return []
    const members = Object.entries(returns.meta).map(
      ([member, { schema }]) => [member, orNull(schema)] as const,
    )
    const meta = objectOf(
      { ...(hasDryRun && { dryRun: { const: true } }), ...Object.fromEntries(members) },
      members.map(([member]) => member),
    )
    const schema = objectOf({ meta, jsonapi: context.ref('jsonapi.object') }, ['meta', 'jsonapi'])
    const content = { [mediaType]: { schema } }
    const response = { description: 'Done.', ...withHeaders(...writtenHeaders), content }
    return [[nameAction(type, name, context), response] as const]
  })
  return Object.fromEntries(responses)
}

/** Returns the name of the response of an action among the components. */
export function nameActionResponse(
  type: TypeDescription,
  { name, returns }: ActionDescription,
  context: SchemaContext,
): string {
  if (returns === undefined) return 'message'
  if ('meta' in returns) return nameAction(type, name, context)
  return 'resource' in returns
    ? `${context.nameType(returns.resource)}.document`
    : `${context.nameType(returns.resources)}.collection`
}

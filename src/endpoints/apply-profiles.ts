import { requireImmediate } from '../errors/require-immediate.ts'
import { maxProfileMeta } from '../model/declare/profile.ts'
import { isObject, serializeJson, toJsonValue } from '../model/kinds/json.ts'
import { parseProfiles } from '../parse/negotiate.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest } from './handler.ts'

/**
 * Returns the context of a read whose documents have the profiles of the application that its client accepts. What they add is known before
 * the read begins.
 * @param accept - the header field
 * @throws Error for a function of the application that throws, or returns no JSON object or one that is too long
 */
export function applyProfiles(
  context: AppContext,
  request: ApiRequest,
  accept: string | undefined,
): AppContext {
  const { serializer, planner } = context
  const { profiles } = planner.model
  if (profiles === undefined || accept === undefined || !serializer.withProfiles) return context
  const accepted = parseProfiles(accept)
  const applied = [...profiles].filter(([uri]) => accepted.has(uri))
  if (applied.length === 0) return context
  const { auth, requestId, ip, log, signal } = request
  const members = applied.map(([uri, profile]) => {
    const value = profile.meta({ auth, requestId, ip, log, signal })
    return `${JSON.stringify(profile.member)}:${serializeMember(uri, value)}`
  })
  const uris = applied.map(([uri]) => uri)
  return { ...context, serializer: serializer.withProfiles({ uris, meta: members.join(',') }) }
}

function serializeMember(uri: string, value: unknown): string {
  const json = toJsonValue(requireImmediate(value, `The profile ${uri}`), uri)
  if (!isObject(json)) throw new TypeError(`The profile ${uri} must return a JSON object.`)
  const text = serializeJson(json)
  if (text.length <= maxProfileMeta) return text
  throw new RangeError(`The profile ${uri} must return at most ${maxProfileMeta} characters.`)
}

import { quote } from '../../errors/quote.ts'
import { maxProfiles, maxProfileUri, ownMetaMembers } from '../declare/profile.ts'
import { isMemberName } from '../kinds/member-names.ts'
import { cursorProfile } from '../media-types.ts'
import type { ModelOptions } from '../model.ts'

/** Checks what only documents of JSON:API 1.1 have: the profiles, and the addresses of the types of errors. */
export function findProfileErrors({ jsonapi, profiles, errorTypes }: ModelOptions): string[] {
  const declared = Object.entries(profiles ?? {})
  const members = declared.map(([, { member }]) => member)
  const modern = Object.entries({ profiles, errorTypes }).filter(
    ([, value]) => value !== undefined && jsonapi !== '1.1',
  )
  return [
    ...modern.map(([name]) => `options.${name}: needs jsonapi: '1.1', whose documents have them`),
    ...(errorTypes === undefined || isUri(errorTypes)
      ? []
      : [`options.errorTypes: must be an absolute URI; it is ${quote(errorTypes)}`]),
    ...(declared.length > maxProfiles
      ? [`options.profiles: there are at most ${maxProfiles}; these are ${declared.length}`]
      : []),
    ...declared.flatMap(([uri, { member }], index) =>
      [...findUriErrors(uri), ...findMemberErrors(member, members.indexOf(member) !== index)].map(
        (problem) => `options.profiles.${uri}${problem}`,
      ),
    ),
  ]
}

function findUriErrors(uri: string): string[] {
  if (uri === cursorProfile) return [': the pages between cursors have this profile']
  return isUri(uri) ? [] : [`: must be an absolute URI of at most ${maxProfileUri} characters`]
}

function findMemberErrors(member: string, isRepeated: boolean): string[] {
  if (isRepeated) return [`.member: another profile has the same member ${quote(member)}`]
  if (ownMetaMembers.includes(member)) return [`.member: ${quote(member)} has another meaning`]
  return isMemberName(member) ? [] : [`.member: ${quote(member)} is not a JSON:API member name`]
}

/** Whether a text is an absolute URI, which a quoted parameter of a media type can have as it is (RFC 3986). */
function isUri(text: string): boolean {
  return (
    text.length <= maxProfileUri &&
    /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i.test(text) &&
    URL.canParse(text)
  )
}

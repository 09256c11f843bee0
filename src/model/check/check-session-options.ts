import { isAuthValue } from '../declare/access.ts'
import type { SessionOptions } from '../declare/session.ts'
import { isObject } from '../kinds/json.ts'
import { type Check, each, members, mustBe, optional } from './option-checks.ts'

/** The name of a setting that an application defines: two or more identifiers (PostgreSQL 18, 19.16). */
const settingPattern = /^[a-z_][a-z0-9_$]*(\.[a-z_][a-z0-9_$]*)+$/i

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** `set role none` returns to the role of the connection. */
const isRole = (value: unknown): boolean => isName(value) && value !== 'none'

const sessionMembers = members({
  role: optional(
    mustBe(
      'the name of a role, or created by auth',
      (value) => isRole(value) || isAuthValue(value),
    ),
  ),
  anonymousRole: optional(mustBe('the name of a role', isRole)),
  settings: optional(
    each(
      mustBe(
        'a text, or created by auth, as in auth((user) => user.id)',
        (value) => typeof value === 'string' || isAuthValue(value),
      ),
    ),
  ),
  searchPath: optional(
    mustBe('the name of a schema, an array of names, or created by auth', (value) =>
      Array.isArray(value)
        ? value.length > 0 && value.every(isName)
        : isName(value) || isAuthValue(value),
    ),
  ),
} satisfies Record<keyof SessionOptions, Check>)

/** The check of the option `session` of a model. */
export const sessionOptions: Check = (value, location) => {
  const errors = sessionMembers(value, location)
  const { settings, role, anonymousRole } = isObject(value) ? value : {}
  const names = isObject(settings) ? Object.keys(settings) : []
  const wrong = names.filter((name) => !settingPattern.test(name))
  const isIncomplete = anonymousRole !== undefined && role === undefined
  return [
    ...errors,
    ...(isIncomplete ? [`${location}.anonymousRole: has no effect without "role"`] : []),
    ...wrong.map(
      (name) =>
        `${location}.settings.${name}: must be the name of a custom setting, such as app.user_id`,
    ),
  ]
}

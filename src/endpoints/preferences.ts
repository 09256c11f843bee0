import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { Preferences } from '../parse/prefer.ts'
import type { ApiResponse } from './handler.ts'
import { isWritePlan, type RequestPlan } from './request-plan.ts'

/** Whether the response to a write may be without its document: JSON:API demands that of a create whose id the server chose. */
function mayBeMinimal<Body>(plan: RequestPlan<Body>): boolean {
  if (plan.is === 'link') return plan.change === 'replace'
  if (plan.is === 'operations') return !plan.plans.some(needsData)
  if (plan.is !== 'write') return false
  return plan.write.operation === 'update' || plan.hasClientId === true
}

/** Whether the result of an operation has to contain data: the client does not know what it has written. */
function needsData<Body>(plan: RequestPlan<Body>): boolean {
  if (plan.is === 'action') return plan.call.action.returns !== undefined
  return plan.is === 'write' && plan.write.operation === 'create' && !plan.hasClientId
}

/**
 * Checks the preferences of a request before it is executed. Those that cannot be applied are ignored, unless the client is strict, or
 * they restrict a write.
 * @throws HttpError | ManyErrors `invalid_preference` (400)
 */
export function checkPreferences<Body>(plan: RequestPlan<Body>, preferences: Preferences): void {
  const { isStrict, returns, isDryRun, maxAffected, unknown } = preferences
  const isWrite = isWritePlan(plan)
  const restrictions = [
    ...(isDryRun ? ['dry-run'] : []),
    ...(maxAffected === undefined ? [] : [`max-affected=${maxAffected}`]),
  ]
  const errors = emptyCollector()
  const refuse = (preference: string, remedy: string) =>
    report(errors, () => preferenceError(preference, remedy))
  if (isWrite || isStrict) reportUnreadable(preferences, errors)
  for (const each of plan.is === 'operations' ? plan.plans : [plan]) {
    if (each.is !== 'action') continue
    const hasDryRun = each.call.action.dryRun === true
    for (const refused of hasDryRun ? restrictions.slice(Number(isDryRun)) : restrictions)
      refuse(
        refused,
        'max-affected is not for actions, and dry-run only for actions that declare it; leave it out.',
      )
  }
  const isInapplicable = returns === 'minimal' ? !mayBeMinimal(plan) : returns && !isWrite
  const inapplicable = [
    ...(isInapplicable ? [`return=${returns}`] : []),
    ...(isWrite ? [] : restrictions),
    ...unknown,
  ]
  for (const each of isStrict ? inapplicable : [])
    refuse(each, 'handling=strict demands that it is; leave one of them out.')
  throwErrors(errors)
}

/** Reports the preferences that restrict a write and cannot be read. */
export function reportUnreadable({ invalid }: Preferences, errors: ErrorCollector): void {
  const remedy = 'send dry-run without a value, and max-affected with a number.'
  for (const each of invalid) report(errors, () => preferenceError(each, remedy))
}

function preferenceError(preference: string, remedy: string): HttpError {
  return new HttpError(
    'invalid_preference',
    `The preference ${quote(preference)} cannot be applied to this request: ${remedy}`,
  )
}

/** Applies the preferences of a request to its response, and says which. */
export function applyPreferences<Body>(
  response: ApiResponse<Body>,
  plan: RequestPlan<Body>,
  { isStrict, returns, isDryRun, maxAffected, wait }: Preferences,
): ApiResponse<Body> {
  const isWrite = isWritePlan(plan)
  const isMinimal = returns === 'minimal' && !isDryRun && mayBeMinimal(plan)
  const isComplete = returns === 'representation' && isWrite
  const applied = [
    ...(isStrict ? ['handling=strict'] : []),
    ...(isMinimal || isComplete ? [`return=${returns}`] : []),
    ...(isWrite && isDryRun ? ['dry-run'] : []),
    ...(isWrite && maxAffected !== undefined ? [`max-affected=${maxAffected}`] : []),
    ...(wait === undefined ? [] : [`wait=${wait}`]),
  ]
  if (applied.length === 0) return response
  const headers = { ...response.headers, 'preference-applied': applied.join(', ') }
  if (!isMinimal) return { ...response, headers }
  // The dispatcher sends no body with this status.
  return { ...response, status: 204, headers, body: '' as Body }
}

import { HeaderError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { Preferences } from '../parse/prefer.ts'
import type { ApiResponse } from './handler.ts'
import type { RequestPlan } from './request-plan.ts'

/** Whether the response to a write may be without its document: JSON:API demands that of a create whose id the server chose. */
function mayBeMinimal<Body>(plan: RequestPlan<Body>): boolean {
  if (plan.is === 'link') return plan.change === 'replace'
  if (plan.is === 'batch') return plan.mayBeMinimal
  if (plan.is !== 'write') return false
  return plan.write.operation === 'update' || plan.hasClientId === true
}

/**
 * Checks the preferences of a strict request before it is executed. Preferences of others that cannot be applied are ignored.
 * @throws HeaderError `invalid_preference` (400)
 */
export function checkPreferences<Body>(
  plan: RequestPlan<Body>,
  { isStrict, returns, unknown }: Preferences,
): void {
  if (!isStrict) return
  const isWrite = plan.is !== 'read' && plan.is !== 'document'
  const isInapplicable = returns === 'minimal' ? !mayBeMinimal(plan) : returns && !isWrite
  const [first] = isInapplicable ? [`return=${returns}`, ...unknown] : unknown
  if (first === undefined) return
  throw new HeaderError(
    'invalid_preference',
    `The preference ${quote(first)} cannot be applied to this request, and handling=strict demands that it is; leave one of them out.`,
  )
}

/** Applies the preferences of a request to its response, and says which. */
export function applyPreferences<Body>(
  response: ApiResponse<Body>,
  plan: RequestPlan<Body>,
  { isStrict, returns }: Preferences,
): ApiResponse<Body> {
  const isMinimal = returns === 'minimal' && mayBeMinimal(plan)
  const isWrite = plan.is !== 'read' && plan.is !== 'document'
  const isComplete = returns === 'representation' && isWrite
  const applied = [
    ...(isStrict ? ['handling=strict'] : []),
    ...(isMinimal || isComplete ? [`return=${returns}`] : []),
  ]
  if (applied.length === 0) return response
  const headers = { ...response.headers, 'preference-applied': applied.join(', ') }
  if (!isMinimal) return { ...response, headers }
  // The adapters send no body with this status.
  return { ...response, status: 204, headers, body: '' as Body }
}

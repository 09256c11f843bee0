import { findRequest, measurePart, type ObservedRequest } from '../observe/events.ts'
import type { RequestPlan, RequestPlanner } from './request-plan.ts'

/** Makes the plans of requests measure themselves and their serialization, and keep what finds the indexes that a read lacks. */
export function observePlan(planRequest: RequestPlanner): RequestPlanner {
  return (request, context) => {
    const observed = findRequest()
    if (observed === undefined) return planRequest(request, context)
    const plan = measurePart(observed, 'plan', () => planRequest(request, context))
    if (plan.is === 'read') {
      const { read, id } = plan
      observed.findIndexes = async () => {
        const { warnings } = await context.store.explain(read, id)
        return warnings.flatMap(({ fix }) => fix ?? [])
      }
    }
    return measureSerialization(plan, observed)
  }
}

function measureSerialization<Body>(
  plan: RequestPlan<Body>,
  observed: ObservedRequest,
): RequestPlan<Body> {
  const measure =
    <Values extends unknown[], Result>(serialize: (...values: Values) => Result) =>
    (...values: Values) =>
      measurePart(observed, 'serialize', () => serialize(...values))
  if (plan.is === 'read') return { ...plan, serialize: measure(plan.serialize) }
  if (plan.is !== 'write') return plan
  const { response } = plan
  return { ...plan, response: { ...response, serialize: measure(response.serialize) } }
}

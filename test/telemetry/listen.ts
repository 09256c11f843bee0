import {
  committed,
  type ObservedRequest,
  type ObservedStatement,
  partMeasured,
  requestEnded,
  statementEnded,
} from '../../src/observe/events.ts'

/** What the engine has published. */
interface Heard {
  readonly requests: readonly ObservedRequest[]
  readonly statements: readonly ObservedStatement[]
}

/** Collects the requests and statements that the engine publishes while work runs. */
export async function listen(work: () => Promise<unknown>): Promise<Heard> {
  const requests: ObservedRequest[] = []
  const statements: ObservedStatement[] = []
  const onRequest = (request: ObservedRequest) => void requests.push(request)
  const onStatement = (statement: ObservedStatement) => void statements.push(statement)
  requestEnded.subscribe(onRequest)
  statementEnded.subscribe(onStatement)
  partMeasured.subscribe(ignore)
  committed.subscribe(ignore)
  try {
    await work()
  } finally {
    requestEnded.unsubscribe(onRequest)
    statementEnded.unsubscribe(onStatement)
    partMeasured.unsubscribe(ignore)
    committed.unsubscribe(ignore)
  }
  return { requests, statements }
}

function ignore(): void {}

import cluster, { type Worker } from 'node:cluster'
import type { Snapshot } from 'lapidary/telemetry'
import { addSnapshots, keepCounters } from 'lapidary/telemetry'

/** How long the supervisor waits for the metrics of a worker, in milliseconds. */
const answerTimeout = 1000

/** A question of the supervisor. */
interface MetricsQuestion {
  readonly askMetrics: number
}

/** The answer of a worker. */
interface MetricsAnswer {
  readonly metricsOf: number
  readonly snapshot: Snapshot
}

/** Makes a worker answer the questions of its supervisor. */
export function answerMetrics(take: () => Snapshot): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return
    const answer: MetricsAnswer = { metricsOf: message.askMetrics, snapshot: take() }
    process.send?.(answer)
  })
}

function isQuestion(message: unknown): message is MetricsQuestion {
  return typeof message === 'object' && message !== null && 'askMetrics' in message
}

function isAnswer(message: unknown): message is MetricsAnswer {
  return typeof message === 'object' && message !== null && 'metricsOf' in message
}

/**
 * Adds up the metrics of all workers. A worker that does not answer in time has the values of its last answer, and what a worker has
 * counted remains when it ends: a counter that decreases would look like one that began again.
 */
export class WorkerMetrics {
  readonly #last = new Map<number, Snapshot>()
  #ended: Snapshot = {}
  #question = 0

  constructor() {
    cluster.on('exit', ({ id }) => {
      this.#ended = addSnapshots([this.#ended, keepCounters(this.#last.get(id) ?? {})])
      this.#last.delete(id)
    })
  }

  /** Asks every worker. */
  async collect(): Promise<Snapshot> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(workers.map((worker) => this.#ask(worker)))
    return addSnapshots([this.#ended, ...this.#last.values()])
  }

  #ask(worker: Worker): Promise<void> {
    this.#question += 1
    const question: MetricsQuestion = { askMetrics: this.#question }
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        worker.off('message', listen)
        worker.off('exit', end)
        resolve()
      }
      const listen = (message: unknown) => {
        if (!isAnswer(message) || message.metricsOf !== question.askMetrics) return
        this.#last.set(worker.id, message.snapshot)
        end()
      }
      const timer = setTimeout(end, answerTimeout)
      worker.on('message', listen)
      worker.once('exit', end)
      // A worker that has just ended gets nothing.
      if (worker.isConnected()) worker.send(question, () => {})
      else end()
    })
  }
}

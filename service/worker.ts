import cluster from 'node:cluster'

/**
 * Whether every worker has a listening socket of its own and the kernel spreads connections over them (`SO_REUSEPORT`).
 * Elsewhere the workers share the supervisor's socket. Either way a worker accepts for itself, and a connection never
 * passes through the supervisor, which would keep the descriptors that it cannot hand to a worker that has died.
 */
export const reusesPort = process.platform === 'linux'

const portVariable = 'LAPIDARY_WORKER_PORT'

/** What a worker tells its supervisor once it accepts connections. */
interface Listening {
  readonly listensOn: number
}

/** The environment of a worker that is to listen on this port; 0 takes any free one. */
export function workerEnvironment(port: number): Readonly<Record<string, string>> {
  return { [portVariable]: String(port) }
}

/** The port that the supervisor has chosen for this worker. */
export function workerPort(): number {
  return Number(process.env[portVariable])
}

/** Tells the supervisor that this worker accepts connections at an address, e.g. `http://127.0.0.1:3000`. */
export function reportListening(url: string): void {
  const message: Listening = { listensOn: Number(new URL(url).port) }
  process.send?.(message)
}

/** @returns the port of a worker that says it accepts connections; `undefined` for any other message */
export function listeningPort(message: unknown): number | undefined {
  const isListening = typeof message === 'object' && message !== null && 'listensOn' in message
  return isListening ? Number(message.listensOn) : undefined
}

/**
 * Runs `stop` when the supervisor is gone. Node ends such a worker at once, which would leave writes unanswered that
 * have been carried out; so it is told that the end was asked for.
 */
export function onSupervisorGone(stop: () => void): void {
  const { worker } = cluster
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true
    stop()
  })
}

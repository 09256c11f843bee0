import cluster from 'node:cluster'

/**
 * True if each worker has its own listening socket and the kernel distributes connections among them (`SO_REUSEPORT`).
 * On other platforms the workers share the supervisor's socket. In both cases the workers accept connections themselves.
 * If the supervisor accepted them, it would leak the file descriptors that it could not send to a worker that has died.
 */
export const reusesPort = process.platform === 'linux'

const portVariable = 'LAPIDARY_WORKER_PORT'

/** The message that a worker sends to its supervisor when it accepts connections. */
interface ListeningMessage {
  readonly port: number
}

/**
 * Returns the environment variables of a worker that listens on a port. The port 0 chooses a free one.
 * @param secret - the random secret that the workers share; absent if a setting has one
 */
export function workerEnvironment(
  port: number,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  return { [portVariable]: String(port), ...(secret !== undefined && { SECRET: secret }) }
}

/** Returns the port that the supervisor has passed to this worker. */
export function workerPort(): number {
  return Number(process.env[portVariable])
}

/**
 * Informs the supervisor that this worker accepts connections.
 * @param url - e.g. `http://127.0.0.1:3000`
 */
export function reportListening(url: string): void {
  const message: ListeningMessage = { port: Number(new URL(url).port) }
  process.send?.(message)
}

/** Reads the port from a message of a worker that accepts connections. @returns `undefined` for other messages */
export function listeningPort(message: unknown): number | undefined {
  const isListening = typeof message === 'object' && message !== null && 'port' in message
  return isListening ? Number(message.port) : undefined
}

/**
 * Runs `stop` when the supervisor has exited. By default Node exits the worker at once, so that clients would get no
 * response to writes that are committed. `exitedAfterDisconnect` prevents that.
 */
export function onSupervisorExit(stop: () => void): void {
  const { worker } = cluster
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true
    stop()
  })
}

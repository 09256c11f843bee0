import { observeOpenTelemetry, serveMetrics, startMeters } from 'lapidary/telemetry'
import { requestEnded } from '../../src/observe/events.ts'

// Prints when somebody listens to requests. A process of its own: other tests listen, too.

const seen: (readonly [when: string, isListened: boolean])[] = []
const look = (when: string) => seen.push([when, requestEnded.hasSubscribers])
look('at the start')
const stop = await observeOpenTelemetry()
look('OpenTelemetry without an SDK')
stop()
const server = await serveMetrics({ port: 0 })
look('metrics are served')
await server.close()
look('metrics are no longer served')
const meters = startMeters()
look('meters run')
meters.stop()
look('meters have stopped')
console.log(JSON.stringify(Object.fromEntries(seen)))

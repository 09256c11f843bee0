import type { Options } from './options.ts'
import { type Peer, peers, workloadOf } from './peers.ts'
import { isFolder } from './subjects.ts'
import { workloadNamed } from './wishes.ts'
import { shapeWorkloads, type Workload } from './workloads.ts'

/** Who is measured on what. */
export interface Contestant {
  /** `service`, `floor`, or a peer's name. */
  readonly subject: string
  readonly persons: number
}

/** Two workloads, one for each side, on so many connections. */
export interface Bout {
  readonly left: Workload
  readonly right: Workload
  readonly connections: number
  /** How many times as long as usual both are warmed up. */
  readonly warmUps?: number
}

/** Two servers and everything that they are compared in. */
export interface Arena {
  readonly against: string
  readonly database: string
  readonly left: Contestant
  readonly right: Contestant
  readonly bouts: readonly Bout[]
  /** What is made sure of first: that both answer alike byte for byte, or that they tell of the same resources. */
  readonly alike: 'bytes' | 'ids' | undefined
}

/** Workloads that are measured on one and on many connections as well. */
const wide = ['one', 'list', 'included', 'create']
/** Workloads whose cost should not grow with the database. */
const steady = ['one', 'list', 'included', 'one-included', 'owner', 'deep']
/** How many connections ask for what visits every row of a large database. */
const few = 2
/** So long until PostgreSQL has planned a thousand shapes so often on its connections that it keeps the plans. */
const untilPlanned = 10

/** Everything that a run compares, reads before writes. */
export function arenasOf(options: Options): Arena[] {
  const { against, databases, persons } = options
  const each = (make: (database: string, persons: number) => Arena[]) =>
    databases.flatMap((database) => persons.flatMap((size) => make(database, size)))
  return [
    ...against
      .filter((name) => name === 'floor' || name === 'porch' || isFolder(name))
      .flatMap((name) => each((database, size) => [others(name, database, size, options)])),
    ...(against.includes('peers')
      ? each((database, size) => {
          return peers
            .filter((peer) => peer.database === database && size <= peer.most)
            .map((peer) => rival(peer, size, options))
        })
      : []),
    ...(against.includes('shapes') ? each(shapes) : []),
    ...(against.includes('growth')
      ? each((database, size) => growth(database, size, options))
      : []),
  ].filter(({ bouts }) => bouts.length > 0)
}

/** Another program that answers alike: the floor, the floor's reads behind Fastify, or another version of the service. */
function others(name: string, database: string, persons: number, options: Options): Arena {
  const bouts = boutsOf(options.workloads, persons, options)
  return {
    against: isFolder(name) ? 'other version' : name,
    database,
    left: { subject: 'service', persons },
    right: { subject: name, persons },
    alike: 'bytes',
    bouts: name === 'porch' ? bouts.filter(({ left }) => !left.writes) : bouts,
  }
}

function rival(peer: Peer, persons: number, options: Options): Arena {
  const bouts = boutsOf(options.workloads, persons, { ...options, connections: [32] })
  return {
    against: peer.name,
    database: peer.database,
    left: { subject: 'service', persons },
    right: { subject: peer.name, persons },
    alike: 'ids',
    bouts: bouts.flatMap(({ left, connections }) => {
      const right = workloadOf(peer, left)
      return right ? [{ left, right, connections }] : []
    }),
  }
}

/** A thousand shapes against one. */
function shapes(database: string, persons: number): Arena[] {
  const ours = { subject: 'service', persons }
  const [right, left] = shapeWorkloads
  if (left === undefined || right === undefined || persons > 1000) return []
  const bouts = [{ left, right, connections: 32, warmUps: untilPlanned }]
  return [{ against: 'one shape', database, left: ours, right: ours, bouts, alike: undefined }]
}

/** A large database against a small one. */
function growth(database: string, persons: number, options: Options): Arena[] {
  const small = { subject: 'service', persons: 1000 }
  if (persons === small.persons) return []
  const names = options.workloads.filter((name) => steady.includes(name))
  const bouts = boutsOf(names, persons, { ...options, connections: [32] })
  const left = { subject: 'service', persons }
  return [{ against: '1000 persons', database, left, right: small, bouts, alike: undefined }]
}

function boutsOf(names: readonly string[], persons: number, { connections }: Options): Bout[] {
  return names.map(workloadNamed).flatMap((workload) => {
    const isSlow = workload.scans === true && persons > 1000
    const usual = wide.includes(workload.name) ? [1, 32, 256] : [32]
    const wanted = isSlow ? [few] : (connections ?? usual)
    return wanted.map((count) => ({ left: workload, right: workload, connections: count }))
  })
}

import { accessWorkloads } from './access/access-workloads.ts'
import { findWorkload } from './find-workload.ts'
import type { Options } from './options.ts'
import { adaptWorkload, type Peer, peers } from './peers.ts'
import { isFolder } from './servers.ts'
import { shapeWorkloads, type Workload } from './workloads.ts'

/** A server and the size of its database. */
export interface Target {
  /** A name as for `startServer`. */
  readonly server: string
  readonly persons: number
}

/** The workload of each server, and the number of connections. */
export interface Scenario {
  readonly left: Workload
  readonly right: Workload
  readonly connections: number
  /** Multiplies the duration of the warm-up. */
  readonly warmUpFactor?: number
}

/** Two servers, and the scenarios that they are compared in. */
export interface Comparison {
  readonly against: string
  readonly database: string
  readonly left: Target
  readonly right: Target
  readonly scenarios: readonly Scenario[]
  /** The verification before the rounds: equal bytes, or the same ids; `undefined` for none. */
  readonly equality: 'bytes' | 'ids' | undefined
}

/** Workloads that are also measured on 1 and on 256 connections. */
const workloadsByConnections = ['one', 'list', 'included', 'create']
/** Workloads whose cost should not grow with the database. */
const workloadsOfConstantCost = ['one', 'list', 'included', 'one-included', 'owner', 'deep']
/** The number of connections for workloads that visit every row of a large database. */
const connectionsForScans = 2
/** PostgreSQL needs so many more requests before its connections have prepared a thousand statements and cached the plans. */
const warmUpFactorForShapes = 10

/** Plans all comparisons of a run. Reads come before writes. */
export function planComparisons(options: Options): Comparison[] {
  const { against, databases, persons } = options
  const forEachDatabase = (plan: (database: string, persons: number) => Comparison[]) =>
    databases.flatMap((database) => persons.flatMap((size) => plan(database, size)))
  return [
    ...against
      .filter((name) => name === 'baseline' || name === 'baseline-fastify' || isFolder(name))
      .flatMap((name) =>
        forEachDatabase((database, size) => [compareEqualServer(name, database, size, options)]),
      ),
    ...(against.includes('peers')
      ? forEachDatabase((database, size) =>
          peers
            .filter((peer) => peer.database === database && size <= peer.maxPersons)
            .map((peer) => comparePeer(peer, size, options)),
        )
      : []),
    ...(against.includes('shapes') ? forEachDatabase(compareShapes) : []),
    ...(against.includes('growth')
      ? forEachDatabase((database, size) => compareGrowth(database, size, options))
      : []),
    ...(against.includes('access') ? forEachDatabase(compareAccess) : []),
  ].filter(({ scenarios }) => scenarios.length > 0)
}

/** Compares with a server that sends equal bytes: the baseline, or another version of the service. */
function compareEqualServer(
  name: string,
  database: string,
  persons: number,
  options: Options,
): Comparison {
  const scenarios = makeScenarios(options.workloads, persons, options)
  return {
    against: isFolder(name) ? 'other version' : name,
    database,
    left: { server: 'service', persons },
    right: { server: name, persons },
    equality: 'bytes',
    scenarios:
      name === 'baseline-fastify' ? scenarios.filter(({ left }) => !left.writes) : scenarios,
  }
}

function comparePeer(peer: Peer, persons: number, options: Options): Comparison {
  const scenarios = makeScenarios(options.workloads, persons, { ...options, connections: [32] })
  return {
    against: peer.name,
    database: peer.database,
    left: { server: 'service', persons },
    right: { server: peer.name, persons },
    equality: 'ids',
    scenarios: scenarios.flatMap(({ left, connections }) => {
      const right = adaptWorkload(peer, left)
      return right ? [{ left, right, connections }] : []
    }),
  }
}

/** Compares a thousand query shapes with one query shape. */
function compareShapes(database: string, persons: number): Comparison[] {
  const target = { server: 'service', persons }
  const [right, left] = shapeWorkloads
  if (left === undefined || right === undefined || persons > 1000) return []
  const scenario = { left, right, connections: 32, warmUpFactor: warmUpFactorForShapes }
  return [
    {
      against: 'one shape',
      database,
      left: target,
      right: target,
      scenarios: [scenario],
      equality: undefined,
    },
  ]
}

/** Compares a large database with one of 1,000 persons. */
function compareGrowth(database: string, persons: number, options: Options): Comparison[] {
  const right = { server: 'service', persons: 1000 }
  if (persons === right.persons) return []
  const names = options.workloads.filter((name) => workloadsOfConstantCost.includes(name))
  const scenarios = makeScenarios(names, persons, { ...options, connections: [32] })
  const left = { server: 'service', persons }
  return [{ against: '1000 persons', database, left, right, scenarios, equality: undefined }]
}

/** Compares access rules with the same conditions as filters of the client, and as scopes of a model for one group. */
function compareAccess(database: string, persons: number): Comparison[] {
  const left = { server: 'access-rules', persons }
  const compare = (
    against: string,
    server: string,
    scenarios: readonly Scenario[],
  ): Comparison => ({
    ...{ against, database, left, right: { server, persons } },
    ...{ scenarios, equality: 'ids' },
  })
  const connections = 32
  const byFilter = accessWorkloads.flatMap(({ ruled, filtered }) =>
    filtered ? [{ left: ruled, right: filtered, connections }] : [],
  )
  const byScope = accessWorkloads.map(({ ruled }) => ({ left: ruled, right: ruled, connections }))
  return [
    compare('filters by hand', 'access-filters', byFilter),
    compare('scopes by hand', 'access-scopes', byScope),
  ]
}

function makeScenarios(
  names: readonly string[],
  persons: number,
  { connections }: Options,
): Scenario[] {
  return names.map(findWorkload).flatMap((workload) => {
    const isSlow = workload.scans === true && persons > 1000
    const usual = workloadsByConnections.includes(workload.name) ? [1, 32, 256] : [32]
    const counts = isSlow ? [connectionsForScans] : (connections ?? usual)
    return counts.map((count) => ({ left: workload, right: workload, connections: count }))
  })
}

import createFindMyWay from 'find-my-way'
import type { Route } from '../endpoints/route-table.ts'
import { createRouteNotFound, createUndecodablePath, maxUrlLength } from './headers.ts'

/** The route of a path, and the id in the path; empty for a path without an id. */
export interface Match<Found extends Route = Route> {
  readonly route: Found
  readonly id: string
}

/** Finds the route of a path; `undefined` without one. */
export type FindRoute<Found extends Route = Route> = (target: string) => Match<Found> | undefined

/**
 * Creates the router for tools that get an address. It is the router of Fastify, so that they find the routes that every adapter finds.
 *
 * @param prefix - the beginning of every path; may be empty
 * @returns a function that throws HttpError `route_not_found` (404), and `invalid_request` (400) for a path that is not
 *   percent-encoded UTF-8
 */
export function createRouter<Found extends Route>(
  routes: readonly Found[],
  prefix: string,
): (target: string) => Match<Found> {
  return requireRoute(createRouteFinder(routes, prefix))
}

/** Returns a router that throws HttpError `route_not_found` (404) for a path without a route. */
export function requireRoute<Found extends Route>(
  find: FindRoute<Found>,
): (target: string) => Match<Found> {
  return (target) => {
    const match = find(target)
    if (match === undefined) throw createRouteNotFound(target)
    return match
  }
}

/** Creates the router without an error for paths that have no route. */
export function createRouteFinder<Found extends Route>(
  routes: readonly Found[],
  prefix: string,
): FindRoute<Found> {
  const router = createFindMyWay({
    maxParamLength: maxUrlLength,
    onBadUrl: () => {},
  })
  for (const route of routes) {
    const { path } = route
    // With a prefix, the root has two URLs: with and without the final slash.
    const isPrefixedRoot = path === '/' && prefix !== ''
    for (const url of isPrefixedRoot ? [prefix, `${prefix}/`] : [prefix + path])
      router.on('GET', url, () => {}, route)
  }
  return (target) => {
    const found = router.find('GET', target)
    if (found === null) return undefined
    const route: Found | null = found.store
    // The router finds a handler without data for a path that it cannot decode.
    if (route === null) throw createUndecodablePath()
    // `id` is the only parameter in the path patterns of the route table.
    return { route, id: found.params.id ?? '' }
  }
}

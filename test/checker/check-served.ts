import { defineModel, type Model } from 'lapidary'
import { resources } from '../../service/resources/index.ts'
import type { Exchange } from '../client.ts'
import { getDescriptionChecker } from './check-description.ts'
import { assertConforms } from './check-exchange.ts'

/**
 * Asserts that an exchange conforms to JSON:API and to the description of the API of a model.
 *
 * @param prefix - the beginning of every path
 * @returns the parsed body; `undefined` if it is empty
 */
export function assertModelConforms(model: Model, exchange: Exchange, prefix = ''): unknown {
  const body = assertConforms(exchange)
  getDescriptionChecker(model, prefix)(exchange, body)
  return body
}

/** The model of the service with its default settings. */
const service = defineModel(resources, { maxPageSize: null })

/** Asserts that an exchange with the service conforms to JSON:API and to the description of the service. */
export function assertServiceConforms(exchange: Exchange, prefix = ''): unknown {
  return assertModelConforms(service, exchange, prefix)
}

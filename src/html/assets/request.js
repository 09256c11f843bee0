import { getCredentials } from './credentials.js'

/** The media type of JSON:API. */
const mediaType = 'application/vnd.api+json'

/**
 * Sends a request of JSON:API.
 * @param {string} method
 * @param {string} url
 * @param {unknown} [body]
 * @param {Record<string, string>} [fields] - further header fields
 * @returns {Promise<{ isOk: boolean, document: ApiDocument, text: string }>} `isOk` is false for an error document
 * @throws {TypeError} when the server cannot be reached
 */
export async function send(method, url, body, fields) {
  const response = await fetch(url, {
    method,
    headers: {
      Accept: mediaType,
      ...getCredentials(),
      ...fields,
      ...((body !== undefined || method === 'POST') && { 'Content-Type': mediaType }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { isOk: response.ok, document: text === '' ? {} : JSON.parse(text), text }
}

/** Loads the description of the resource types, once. */
export const loadModel = createModelLoader()

function createModelLoader() {
  /** @type {Promise<Record<string, TypeDescription>> | undefined} */
  let model
  return () => {
    model ??= fetch(document.body.dataset.model ?? '', { headers: getCredentials() }).then(
      (response) => response.json(),
    )
    return model
  }
}

/**
 * @typedef {Readonly<{ code?: string, title?: string, detail?: string, source?: { pointer?: string, parameter?: string } }>} ApiError
 * @typedef {Readonly<{ type: string, id: string, attributes?: Record<string, unknown>, links?: { self?: string } }>} ApiResource
 * @typedef {Readonly<{ data?: ApiResource | ApiResource[] | null, errors?: ApiError[], links?: Record<string, string>, meta?: Record<string, unknown> }>} ApiDocument
 * @typedef {Readonly<{ kind?: string, type?: unknown, choices?: string[], hint?: string }>} ValueDescription
 * @typedef {ValueDescription & Readonly<{ name: string, required: boolean }>} ParameterDescription
 * @typedef {ValueDescription & Readonly<{ name: string, operators: string[], operands?: Record<string, ValueDescription>, to?: string, many?: boolean, countOf?: string, parameters?: ParameterDescription[] }>} FieldDescription
 * @typedef {Readonly<{ path: string, fields: FieldDescription[] }>} TypeDescription
 */

import { createHash } from 'node:crypto'
import type { Route } from '../endpoints/route-table.ts'
import { readAssetFiles } from './asset-files.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** The files of the pages, as routes. */
interface Assets {
  readonly routes: readonly Route[]
  /** The names of the modules of the script. */
  readonly modules: readonly string[]
  /** Returns the path of a file, without the prefix of the application. */
  toPath(name: string): string
}

/**
 * Reads the files that every page needs. Their paths contain a hash of all of them: a browser keeps a file until it changes.
 */
export function readAssets(): Assets {
  const files = readAssetFiles().flatMap(({ name, text }) => {
    const type = mediaTypes[name.split('.').at(-1) ?? '']
    return type === undefined ? [] : [{ name, type, text }]
  })
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12)
  const toPath = (name: string) => `/html.${hash}/${name}`
  return {
    toPath,
    modules: files.flatMap(({ name }) => (name.endsWith('.js') ? [name] : [])),
    routes: files.map(({ name, type, text }) => {
      const headers = toHeaders(type)
      return {
        path: toPath(name),
        isPublic: true,
        mediaType: type.replace(/;.*/s, ''),
        methods: { GET: () => ({ status: 200, headers, body: text }) },
        file: { headers, read: () => text },
        readOnlyMethods: [],
      }
    }),
  }
}

function toHeaders(type: string): Readonly<Record<string, string>> {
  return { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
}

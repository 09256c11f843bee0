import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Route } from '../handlers/route-table.ts'

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

/** A file that the pages send to browsers. */
interface AssetFile {
  readonly name: string
  readonly text: string
}

/**
 * Reads the stylesheet and the modules of the script. In the package, `tools/build.ts` replaces this module by one that contains
 * their texts, so that they are part of a bundle.
 *
 * @returns the files of `src/html/assets`, by their names
 */
export function readAssetFiles(): readonly AssetFile[] {
  const folder = new URL('./assets/', import.meta.url)
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
}

import { readdirSync, readFileSync } from 'node:fs'

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

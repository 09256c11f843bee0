import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Formats the `tsconfig.json` with which generated files compile in any folder. */
export function formatCompileSettings(): string {
  const settings = {
    compilerOptions: {
      target: 'esnext',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    },
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** Returns the path of the `tsconfig.json` that applies to a folder: its own, or that of the nearest folder above. */
export function findCompileSettings(folder: string): string | undefined {
  const absolute = resolve(folder)
  const path = join(absolute, 'tsconfig.json')
  if (existsSync(path)) return path
  const above = dirname(absolute)
  return above === absolute ? undefined : findCompileSettings(above)
}

/** A line if a `tsconfig.json` that was there before does not admit imports of the generated files, which Node.js needs with `.ts`. */
export function describeMissingSetting(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
  const isEnabled = /"(?:allowImportingTs|rewriteRelativeImport)Extensions"\s*:\s*true/.test(text)
  if (isEnabled || /"extends"\s*:/.test(text)) return []
  return [
    'Add "rewriteRelativeImportExtensions": true to the compilerOptions in tsconfig.json, because the files import each other as ./….ts.',
  ]
}

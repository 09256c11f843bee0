import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import { absolutePath, readPage } from '../docs/pages.ts'

/** The members of a locked package that name other packages. */
interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

describe('package-lock.json', () => {
  const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readPage('package-lock.json'),
  )

  // npm leaves out packages for other platforms that it cannot find, and then `npm ci` fails on every platform.
  it('has every package that a locked package depends on, also for other platforms', () => {
    const missing = Object.entries(packages).flatMap(([path, locked]) =>
      Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })
        .filter((name) => !foldersAbove(path).some((folder) => `${folder}${name}` in packages))
        .map((name) => `${path}: ${name}`),
    )
    assert.deepEqual(missing, [])
  })

  for (const file of globSync(['package-lock.json', 'test/*/package-lock.json'], {
    cwd: absolutePath('.'),
  }))
    it(`names no address of a registry: ${file}`, () => {
      assert.doesNotMatch(readPage(file), /"resolved": "https?:/)
    })
})

/** The folders in which Node.js looks for the dependencies of a package, the nearest first. */
function foldersAbove(path: string): string[] {
  const inner = path === '' ? 'node_modules/' : `${path}/node_modules/`
  const at = path.lastIndexOf('node_modules/')
  const outer = path.slice(0, Math.max(0, at)).replace(/\/$/, '')
  return path === '' ? [inner] : [inner, ...foldersAbove(outer)]
}

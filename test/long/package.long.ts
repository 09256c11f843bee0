import { after, before, describe } from 'node:test'
import { type InstalledPackage, installPackage } from '../package/installed-package.ts'
import { testTypeScriptReleases } from '../package/typescript-releases.ts'

describe('The package', () => {
  let installed: InstalledPackage

  before(async () => {
    installed = await installPackage()
    await installed.link('fastify', 'pg', '@types/node')
  })
  after(() => installed.remove())

  testTypeScriptReleases(() => installed, { isLong: true })
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { commands, type InstalledPackage } from './installed-package.ts'

/** The settings that `tsc --init` writes, and those that have rejected the types of other packages. */
const settings = {
  target: 'esnext',
  types: [],
  sourceMap: true,
  declaration: true,
  declarationMap: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  jsx: 'react-jsx',
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  composite: true,
  skipLibCheck: false,
}

/** The programs of the sample project, each with its settings. Only Fastify needs the types of Node.js. */
const programs = {
  nodenext: {
    compilerOptions: { ...settings, module: 'nodenext' },
    files: ['declarations.ts', 'stores.ts', 'client.ts'],
  },
  bundler: {
    compilerOptions: {
      ...settings,
      types: ['node'],
      module: 'esnext',
      moduleResolution: 'bundler',
    },
    files: ['declarations.ts', 'stores.ts', 'server.ts'],
  },
}

/** The oldest and the newest compiler that are supported. */
const compilers = [
  ['7', commands.tsc],
  ['5.9', commands.tsc59],
] as const

/** Tests that the sample project compiles with its declaration files, under every TypeScript release. */
export function testTypeScriptReleases(installed: () => InstalledPackage): void {
  describe('compiles an application that exports its declarations', { concurrency: true }, () => {
    before(async () => {
      const sources = ['declarations.ts', 'stores.ts', 'server.ts', 'client.ts']
      for (const [release] of compilers) {
        for (const name of sources) {
          const source = readFileSync(new URL(`sample-project/${name}`, import.meta.url), 'utf8')
          await installed().write(`typescript-${release}/${name}`, source)
        }
        for (const [name, { compilerOptions, ...program }] of Object.entries(programs))
          await installed().write(
            `typescript-${release}/${name}.json`,
            JSON.stringify({ ...program, compilerOptions: { ...compilerOptions, outDir: name } }),
          )
        const references = Object.keys(programs).map((name) => ({ path: `${name}.json` }))
        const solution = JSON.stringify({ files: [], references })
        await installed().write(`typescript-${release}/tsconfig.json`, solution)
      }
    })

    for (const [release, compiler] of compilers) {
      it(`under TypeScript ${release}`, async () => {
        const project = `typescript-${release}`
        const { code, stdout } = await installed().run(compiler, '--build', project)
        assert.deepEqual([code, stdout], [0, ''])
      })
    }
  })
}

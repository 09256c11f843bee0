import { isAbsolute, relative, resolve } from 'node:path'
import { quote } from './code.ts'

/** The part of a generated `main.ts` that depends on the database. */
interface MainParts {
  /** The imported function that opens the database, and its module. */
  readonly open: string
  readonly module: string
  /** The environment variable with the address of the database. */
  readonly variable: string
  /** The default of the variable; absent when it must be set, because the address may contain a password. */
  readonly default?: string
}

/**
 * Generates the program that serves the declarations in `resources/`.
 * @param folder - the folder of the program
 */
export function generateMain(databaseUrl: string, folder: string): string {
  const { open, module, variable, default: unset } = mainParts(databaseUrl, folder)
  const setting = unset === undefined ? variable : `${variable} = ${quote(unset)}`
  const isAsync = unset === undefined
  const imports = [
    `import { existsSync } from 'node:fs'`,
    `import { defineModel } from 'lapidary'`,
    `import { createServer } from 'lapidary/fastify'`,
    `import { createPages } from 'lapidary/html'`,
    `import { ${open} } from '${module}'`,
    `import { resources } from './resources/index.ts'`,
  ]
  const check = `if (${variable} === undefined) throw new Error('Set ${variable}, for example in the file .env.')`
  return `${imports.join('\n')}

// The settings are environment variables. The file .env has those that the environment does not have.
if (existsSync('.env')) process.loadEnvFile('.env')
${formatSettings([setting, "HOST = '127.0.0.1'", "PORT = '3000'", 'PUBLIC_URL'])}
${isAsync ? `${check}\n` : ''}
const model = defineModel(resources)
const store = ${isAsync ? 'await ' : ''}${open}(model, ${variable})
const { warnings } = await store.verify()
for (const warning of warnings) console.warn(warning)
// Browsers get pages, and /openapi.json describes the API.
const server = createServer({
  model,
  store,
  publicUrl: PUBLIC_URL,
  html: createPages(),
  openapi: true,
})

// A graceful stop: the server responds to pending requests, then the database is closed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.close()
    await store.close()
  })
}
console.log(await server.listen({ host: HOST, port: Number(PORT) }))
`
}

/** Formats the declaration of the settings as Biome does. */
function formatSettings(settings: readonly string[]): string {
  const oneLine = `const { ${settings.join(', ')} } = process.env`
  if (oneLine.length <= 100) return oneLine
  return `const {\n${settings.map((setting) => `  ${setting},\n`).join('')}} = process.env`
}

function mainParts(databaseUrl: string, folder: string): MainParts {
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1]
  if (path === undefined)
    return { open: 'openPostgres', module: 'lapidary/postgres', variable: 'DATABASE_URL' }
  return {
    open: 'openSqlite',
    module: 'lapidary/sqlite',
    variable: 'DATABASE_FILE',
    default: isAbsolute(path) ? path : relative(folder, resolve(path)).replaceAll('\\', '/'),
  }
}

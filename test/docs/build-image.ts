import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect } from '../client.ts'
import { type Child, folder, runShell, startProgram } from '../service/child.ts'
import { blocksOf } from './blocks.ts'
import { splitCommand } from './curl.ts'
import { readPage, section } from './pages.ts'

/** The guide to deployment. */
export const guide = readPage('docs/guides/deploying.md')

/** The blocks of the guide in a language, under a heading. */
export function blocksInGuide(heading: string, language: string): string[] {
  return blocksOf(section(guide, heading)).flatMap((block) =>
    block.language === language ? [block.text] : [],
  )
}

/** An instruction of a Dockerfile, e.g. `COPY` with `src src`. */
type Instruction = readonly [name: string, text: string]

/** Lists the instructions of a Dockerfile. */
export function parseDockerfile(text: string): Instruction[] {
  return text.split('\n').flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [[name, rest] as const]
  })
}

/** An image that was built without Docker: a folder, and what runs in it. */
interface BuiltImage {
  readonly folder: string
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
}

/**
 * Carries out the instructions of a Dockerfile in sequence, in folders instead of an image: files are copied, and commands
 * run. What this machine has not is replaced: `FROM` by an empty folder and the Node.js that runs the tests, `npm ci` by
 * links to packages of the repository, and the user `node` by the user that runs the tests.
 * @param install - makes what `npm ci` would make, given the folder with `package.json` and `package-lock.json`
 */
export async function buildImage(
  test: TestContext,
  {
    dockerfile,
    context,
    install,
  }: {
    dockerfile: string
    context: string
    install: (stage: string) => void
  },
): Promise<BuiltImage> {
  const stages = new Map<string, string>()
  const found = new Map<string, string>()
  let stage = ''
  for (const [name, text] of parseDockerfile(dockerfile)) {
    if (name === 'FROM') {
      const [, image, as = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? []
      assert.equal(image, 'node:24-slim')
      stage = await folder(test)
      stages.set(as, stage)
    } else if (name === 'COPY') {
      copy(text, stage, { context, stages })
    } else if (name === 'RUN' && text.startsWith('npm ci --omit=dev')) {
      install(stage)
    } else if (name === 'RUN' && !text.startsWith('chown node:node ')) {
      const { code, stderr } = await runShell(text, { cwd: stage })
      assert.equal(code, 0, `${text}: ${stderr}`)
    } else {
      found.set(name, text)
    }
  }
  const variables = (found.get('ENV') ?? '').split(' ').map((pair) => pair.split('='))
  return {
    folder: stage,
    command: JSON.parse(found.get('CMD') ?? ''),
    healthcheck: JSON.parse((found.get('HEALTHCHECK') ?? '').replace(/^CMD /, '')),
    environment: Object.fromEntries(variables),
    user: found.get('USER') ?? 'root',
  }
}

/** Carries out a `COPY`: into the folder of the stage, from the context or another stage. */
function copy(
  text: string,
  stage: string,
  { context, stages }: Readonly<{ context: string; stages: ReadonlyMap<string, string> }>,
): void {
  const [, from, rest = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? []
  const source = from === undefined ? context : stages.get(from)
  assert.ok(source, text)
  const paths = rest.split(' ')
  const target = paths.pop() ?? ''
  for (const path of paths) {
    const to = target === './' ? path : target
    cpSync(join(source, path.replace('/app/', '')), join(stage, to), {
      recursive: true,
      verbatimSymlinks: true,
    })
  }
}

/** Starts an image as `docker run` does, and checks its health and its graceful stop. */
export async function runImage(
  test: TestContext,
  image: BuiltImage,
  environment: Readonly<Record<string, string>>,
): Promise<Child> {
  assert.equal(image.user, 'node')
  assert.equal(image.environment.HOST, '0.0.0.0')
  const [node, program = '', ...args] = image.command
  assert.equal(node, 'node')
  return startProgram(test, program, {
    cwd: image.folder,
    args,
    environment: { ...image.environment, ...environment },
  })
}

/** Runs the health check of an image. @returns its exit code */
function checkHealth(image: BuiltImage, port: string): number | null {
  const [node, ...args] = image.healthcheck
  assert.equal(node, 'node')
  const env = { PATH: process.env.PATH, PORT: port }
  return spawnSync(process.execPath, args, { env, cwd: image.folder }).status
}

/** Sends a request to the address of the guide, on the port of a running program. */
export async function get(child: Child, path: string) {
  const { port } = new URL(child.url)
  const client = connect(`http://127.0.0.1:${port}`)
  try {
    return await client.send('GET', path)
  } finally {
    client.close()
  }
}

/** Asserts that the program of an image is healthy by the requests of the guide, ends on SIGTERM, and is unhealthy then. */
export async function assertHealthy(image: BuiltImage, child: Child): Promise<void> {
  const { port } = new URL(child.url)
  assert.equal(checkHealth(image, port), 0)
  const [commands = ''] = blocksInGuide('## Health', 'sh')
  const requests = commands.trim().split('\n')
  assert.equal(requests.length, 2)
  for (const request of requests) {
    const [, address = ''] = splitCommand(request)
    assert.equal((await get(child, new URL(address).pathname)).status, 200, request)
  }
  assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
  assert.equal(checkHealth(image, port), 1)
}

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { folder, start } from '../service/child.ts'

// The first start compiles everything.
it('a second start of the service loads neither a compiler of TypeScript nor a client of HTTP', async (test) => {
  const directory = await folder(test)
  const list = join(directory, 'loaded.json')
  const script = `process.on('exit', () => process.getBuiltinModule('node:fs')
  .writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)))`
  const environment = {
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}`,
  }
  const loads = async () => {
    const child = await start(test, directory, [], environment)
    await child.end('SIGTERM')
    const parts = /amaro|undici/
    const loaded: readonly string[] = JSON.parse(await readFile(list, 'utf8'))
    return loaded.filter((name) => parts.test(name))
  }
  assert.match(String(await loads()), /amaro/, 'nothing was compiled at first')
  assert.deepEqual(await loads(), [])
})

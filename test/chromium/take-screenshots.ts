import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { startService } from '../../service/start-service.ts'
import { launchBrowser } from './browser.ts'

// Takes the pictures of the documentation, in `docs/images/`: pages of the service with its demonstration data, in Chromium.

/** A picture: an address, and what happens before it is taken. */
interface Picture {
  readonly name: string
  readonly path: string
  readonly colorScheme: 'light' | 'dark'
  /** In pixels. Default 1200. */
  readonly width?: number
  readonly prepare?: (page: Page) => Promise<void>
}

const pictures: readonly Picture[] = [
  {
    name: 'list',
    path: `/persons?include=computers&sort=birth_date&page[size]=10&filter=${encodeURIComponent(
      '[{"name":"gender","op":"eq","val":"female"},{"name":"computers","op":"any","val":{"name":"serial","op":"startswith","val":"VAX"}}]',
    )}`,
    colorScheme: 'light',
    width: 1500,
  },
  {
    name: 'filter',
    path: '/persons?page[size]=5',
    colorScheme: 'light',
    prepare: buildFilter,
  },
  {
    name: 'sql',
    path: '/html.explain?url=/persons%3Fsort%3D-birth_date%26filter%5Bgender%5D%3Dfemale',
    colorScheme: 'light',
  },
  {
    name: 'phone',
    path: '/persons/2?include=computers',
    colorScheme: 'light',
    width: 390,
  },
  {
    name: 'reference',
    path: '/docs#tag/person/GET/persons',
    colorScheme: 'light',
    width: 1400,
    prepare: showOperation,
  },
  {
    name: 'form',
    path: '/persons/2?include=computers',
    colorScheme: 'dark',
    prepare: async (page) => {
      await page.locator('summary', { hasText: 'Update' }).click()
      await page.getByLabel('email (email)').fill('alan')
      await page.getByRole('button', { name: 'Update' }).click()
      await page.locator('[aria-invalid]').waitFor()
    },
  },
]

/** Waits until Scalar has rendered an operation and its example. */
async function showOperation(page: Page): Promise<void> {
  await page.getByText('A person, who may own computers.').first().waitFor()
  await page.getByRole('heading', { name: 'List person' }).first().scrollIntoViewIfNeeded()
  await page.locator('button', { hasText: 'Test Request(get /persons)' }).first().waitFor()
  await page.waitForTimeout(1000)
}

async function buildFilter(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Filter' }).click()
  await page.getByLabel('Add condition').click()
  await page.getByLabel('Field').selectOption('name')
  await page.getByLabel('Operator').selectOption('startswith')
  await page.getByLabel('Value').fill('A')
  await page.getByLabel('Add condition').click()
  await page.getByLabel('Field').last().selectOption('computers')
  const nested = page.locator('.group')
  await nested.getByLabel('Add condition').click()
  await nested.getByLabel('Field').selectOption('serial')
  await nested.getByLabel('Operator').selectOption('like')
  await nested.getByLabel('Value').fill('VAX-%')
}

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
mkdirSync(folder, { recursive: true })
const settings = { host: '127.0.0.1', port: 0, logLevel: 'silent' }
const service = await startService({ ...settings, databaseUrl: 'sqlite::memory:' }, true)
const browser = await launchBrowser(service.url)
for (const { name, path, colorScheme, width = 1200, prepare } of pictures) {
  const viewport = { width, height: 720 }
  const page = await browser.open(path, { viewport, colorScheme })
  // Scalar takes long to render on a slow machine.
  page.setDefaultTimeout(120_000)
  await prepare?.(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
await browser.close()
await service.close()

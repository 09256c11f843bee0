import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { type RunningService, startService } from '../../service/start-service.ts'
import { long } from '../long-tests.ts'
import { lacksChromium } from './browser.ts'
import { Keyboard } from './keyboard.ts'
import { openBrowser, type SharedBrowser } from './shared-browser.ts'

const settings = { databaseUrl: 'sqlite::memory:', host: '127.0.0.1', port: 0, logLevel: 'silent' }

// Hundreds of keys, each with a look at the focus, take half a minute.
describe('The pages by the keyboard alone', { ...long, skip: lacksChromium }, () => {
  let service: RunningService
  let browser: SharedBrowser
  let keyboard: Keyboard

  const open = async (path: string, viewport = { width: 1280, height: 800 }) => {
    const page = await browser.open(path, { viewport })
    await page.locator('html.script').waitFor()
    keyboard = new Keyboard(page)
  }
  const heading = () => keyboard.page.locator('h1').innerText()

  before(async () => {
    service = await startService(settings, true)
    browser = await openBrowser(service.url)
  })
  afterEach(async () => {
    await browser.leave()
    assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  it('go from the landing page to a list, sort it, filter it, and open a resource', async () => {
    await open('/')
    await keyboard.tabTo('Skip to the content')
    assert.equal((await keyboard.press('Enter')).tag, 'main')
    await keyboard.tabTo('person')
    await keyboard.leave(/\/persons$/)
    await keyboard.tabTo('birth_date')
    await keyboard.leave(/sort=birth_date/)

    await keyboard.tabTo('Filter, sort')
    await keyboard.press('Enter')
    await keyboard.page.getByLabel('Add condition').waitFor()
    await keyboard.tabTo('Add condition')
    assert.equal((await keyboard.press('Enter')).name, 'Field')
    // A list searches for what is typed as long as it is the same element.
    assert.equal((await keyboard.type('gen')).value, 'gender')
    await keyboard.tabTo('Operator')
    assert.equal((await keyboard.type('st')).value, 'startswith')
    await keyboard.tabTo('Value')
    await keyboard.type('fem')

    await keyboard.tabTo('Add group')
    assert.equal((await keyboard.press('Enter')).name, 'Match')
    await keyboard.tabTo('Add condition')
    assert.equal((await keyboard.press('Enter')).name, 'Field')
    assert.equal((await keyboard.type('computers')).value, 'computers')
    await keyboard.tabTo('Match')
    await keyboard.tabTo('Add condition')
    await keyboard.press('Enter')
    assert.equal((await keyboard.type('serial')).value, 'serial')
    await keyboard.tabTo('Value')
    await keyboard.type('VAX-1')
    await keyboard.tabTo('Apply')
    await keyboard.leave(/filter=/)
    const { searchParams } = new URL(keyboard.page.url())
    const serial = { name: 'serial', op: 'eq', val: 'VAX-1' }
    assert.deepEqual(JSON.parse(searchParams.get('filter') ?? ''), [
      { name: 'gender', op: 'startswith', val: 'fem' },
      { name: 'computers', op: 'any', val: serial },
    ])
    assert.equal(searchParams.get('sort'), 'birth_date')

    await keyboard.tabTo('Remove gender')
    await keyboard.leave(/\/persons\?sort=birth_date$/)
    const id = await keyboard.page.locator('tbody th').first().innerText()
    await keyboard.tabTo(id)
    await keyboard.leave(/\/persons\/\d+$/)
    assert.match(await heading(), new RegExp(`^person ${id} `))
  })

  it('remove a condition, and keep the focus at its place', async () => {
    await open('/persons')
    await keyboard.tabTo('Filter, sort')
    await keyboard.press('Enter')
    await keyboard.page.getByLabel('Add condition').waitFor()
    for (const value of ['a', 'b']) {
      await keyboard.tabTo('Add condition')
      await keyboard.press('Enter')
      await keyboard.tabTo('Value')
      await keyboard.type(value)
    }
    await keyboard.tabTo('Value', 'Shift+Tab')
    await keyboard.tabTo('Remove condition')
    assert.equal((await keyboard.press('Enter')).name, 'Field')
    assert.equal((await keyboard.tabTo('Value')).value, 'b')
    await keyboard.tabTo('Remove condition')
    assert.equal((await keyboard.press('Enter')).name, 'Add condition')
    assert.equal((await keyboard.press('Escape')).tag, 'summary')
  })

  it('show an error of the query at its input', async () => {
    await open('/persons')
    await keyboard.tabTo('Filter, sort')
    await keyboard.press('Enter')
    await keyboard.page.getByLabel('Add condition').waitFor()
    await keyboard.tabTo('Sort')
    await keyboard.type('colour')
    await keyboard.press('Enter')
    await keyboard.page.locator('[aria-invalid]').waitFor()
    const { name, isInvalid, description } = await keyboard.press()
    assert.deepEqual([name, isInvalid], ['Sort', true])
    assert.match(description, /no field "colour"/)
  })

  it('create a resource, correct an error at its field, update it, and delete it', async () => {
    await open('/persons')
    await keyboard.tabTo('Create person')
    await keyboard.press('Enter')
    await keyboard.tabTo('name (')
    await keyboard.type('Mary Ward')
    await keyboard.tabTo('email (')
    await keyboard.type('nowhere')
    await keyboard.press('Enter')
    await keyboard.page.locator('[aria-invalid]').waitFor()
    const invalid = await keyboard.press()
    assert.deepEqual([invalid.name, invalid.isInvalid], ['email (email)', true])
    assert.match(invalid.description, /e-mail/)
    await keyboard.replace('mary@example.org')
    await keyboard.leave(/\/persons\/\d+$/)
    assert.match(await heading(), /MARY WARD/)

    await keyboard.tabTo('Update person')
    await keyboard.press('Enter')
    await keyboard.tabTo('name (')
    await keyboard.replace('Mary Somerville')
    await keyboard.tabTo('Update')
    const loaded = keyboard.page.waitForEvent('load')
    await keyboard.page.keyboard.press('Enter')
    await loaded
    await keyboard.page.locator('html.script').waitFor()
    assert.match(await heading(), /MARY SOMERVILLE/)
    assert.equal((await keyboard.press()).name, 'Update person')

    await keyboard.tabTo('Delete person')
    await keyboard.press('Enter')
    assert.equal((await keyboard.tabTo('Delete')).tag, 'button')
    assert.equal((await keyboard.press('Escape')).name, 'Delete person')
    await keyboard.press('Enter')
    await keyboard.tabTo('Delete')
    await keyboard.leave(/\/persons$/)
  })

  it('change a relationship, and keep the focus at its place', async () => {
    const change = async () => {
      const loaded = keyboard.page.waitForEvent('load')
      await keyboard.page.keyboard.press('Enter')
      await loaded
      await keyboard.page.locator('html.script').waitFor()
      return keyboard.press()
    }
    await open('/persons/1/relationships/computers')
    await keyboard.tabTo('Add computer by id')
    await keyboard.type('99999')
    await keyboard.press('Enter')
    await keyboard.page.locator('[aria-invalid]').waitFor()
    assert.match((await keyboard.press()).description, /99999/)
    await keyboard.replace('9')
    assert.equal((await change()).name, 'Add computer by id')
    await keyboard.type('10')
    assert.equal((await change()).name, 'Add computer by id')
    await keyboard.tabTo('Remove computer 9', 'Shift+Tab')
    assert.equal((await change()).name, 'Remove computer 10 from computers')
    assert.equal((await change()).name, 'Add computer by id')
  })

  for (const width of [1280, 360])
    it(`given ${width} px, when Tab goes through each kind of page, then all can be seen and the focus leaves`, async () => {
      const paths = [
        ...['/', '/persons?page[size]=2&include=computers', '/persons/1?include=computers'],
        ...['/persons/1/computers?page[size]=2', '/persons/1/relationships/computers'],
        ...['/computers/1/relationships/owner', '/persons/999999'],
        ...['/html.explain?url=/persons', '/persons?filter=[]&sort=-name&page[size]=1'],
      ]
      await open('/', { width, height: 700 })
      for (const path of paths) {
        await keyboard.page.goto(`${service.url}${path}`)
        await keyboard.page.locator('html.script').waitFor()
        const names = await keyboard.tabThrough()
        assert.equal(names[0], 'Skip to the content')
        await keyboard.page.evaluate(
          'for (const each of document.querySelectorAll("details")) each.open = true',
        )
        // The script fills the panels: the builder of filters, and what is linked.
        const waiting = 'details[data-query]:not(:has(.conditions)), [data-linkage-at]:disabled'
        await keyboard.page.locator(waiting).first().waitFor({ state: 'detached' })
        const all = await keyboard.tabThrough()
        assert.deepEqual(
          names.filter((name) => !all.includes(name)),
          [],
          path,
        )
        const back = await keyboard.tabThrough('Shift+Tab')
        assert.equal(back.at(-1), 'Skip to the content')
      }
    })
})

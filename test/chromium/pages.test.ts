import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type RunningService, startService } from '../../service/start-service.ts'
import { databases } from '../databases.ts'
import { long } from '../long-tests.ts'
import type { OpenDatabase } from '../open-database.ts'
import { skipInCi } from '../read-count.ts'
import { lacksChromium } from './browser.ts'
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser, type SharedBrowser } from './shared-browser.ts'

const settings = { host: '127.0.0.1', port: 0, logLevel: 'silent' }

for (const database of databases) {
  const skip = lacksChromium || skipInCi(database.dialect)
  const options = { skip, ...(database.dialect !== 'sqlite' && long) }
  describe(`The pages in Chromium · ${database.name}`, options, () => {
    let opened: OpenDatabase
    let service: RunningService
    let browser: SharedBrowser
    let page: Page

    const open: SharedBrowser['open'] = async (path, options) => {
      page = await browser.open(path, options)
      return page
    }
    const heading = () => page.locator('h1').innerText()
    const rows = () => page.locator('main tbody tr').count()
    const openPanel = async (name: string) => {
      await page.locator('summary', { hasText: name }).click()
      // The builder moves what is below it when it appears: a click that was aimed before would miss.
      if (name === 'Filter') await page.getByLabel('Add condition').first().waitFor()
    }
    const submit = (name: string) => page.getByRole('button', { name, exact: true }).click()

    before(async () => {
      opened = await database.create()
      service = await startService({ ...settings, databaseUrl: opened.url }, true)
      browser = await openBrowser(service.url)
    })
    afterEach(async () => {
      await browser.leave()
      // No test requests anything from other hosts, or violates the Content-Security-Policy.
      assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
    })
    after(async () => {
      await browser.close()
      await service.close()
      await opened.remove()
    })

    it('given the landing page, when it is loaded, then it lists the types with their counts', async () => {
      await open('/')
      await page.locator('td.count', { hasText: '300' }).waitFor()
      const texts = await page.locator('main tbody tr').allInnerTexts()
      assert.deepEqual(
        texts.map((text) => text.split(/\s*\t\s*/)),
        [
          ['person', 'A person, who may own computers.', '300'],
          ['computer', 'A computer, which a person may own.', '462'],
        ],
      )
      assert.equal(await page.getByRole('link', { name: '"/computers"' }).count(), 1)
      await page.getByRole('link', { name: 'Reference with requests to try' }).waitFor()
    })

    it('finds a person by a nested filter, and follows her to a computer', async () => {
      await open('/persons')
      await openPanel('Filter')
      await page.getByLabel('Add condition').click()
      await page.getByLabel('Field').selectOption('computers')
      const nested = page.locator('.group')
      await nested.getByLabel('Add condition').click()
      await nested.getByLabel('Field').selectOption('serial')
      await nested.getByLabel('Operator').selectOption('startswith')
      await nested.getByLabel('Value').fill('VAX-3514')
      await page.getByLabel('computers', { exact: true }).first().check()
      await submit('Apply')
      await page.waitForURL(/filter=/)
      const { searchParams } = new URL(page.url())
      const serial = { name: 'serial', op: 'startswith', val: 'VAX-3514' }
      assert.deepEqual(JSON.parse(searchParams.get('filter') ?? ''), [
        { name: 'computers', op: 'any', val: serial },
      ])
      assert.equal(searchParams.get('include'), 'computers')
      assert.equal(await rows(), 1 + 3)
      await page
        .getByRole('link', { name: /^VAX-3514/ })
        .first()
        .click()
      assert.match(await heading(), /^computer 3 VAX-3514/)
      await page.getByRole('link', { name: 'related resource', exact: true }).click()
      assert.match(await heading(), /^person 2 /)
    })

    it(
      'given a filter in the address, when its builder opens, then it shows and keeps the filter',
      long,
      async () => {
        const filter = [
          {
            or: [
              { name: 'gender', op: 'in_', val: ['a', 'b'] },
              { not: { name: 'name', op: 'like', val: 'A%' } },
            ],
          },
          { name: 'birth_date', op: 'between', val: ['1900-01-01', '1950-01-01'] },
          { name: 'email', op: 'is_', val: null },
          { name: 'name', op: 'eq', field: 'gender' },
          { name: 'computers', op: 'any', val: null },
        ]
        const parameters = new URLSearchParams({ filter: JSON.stringify(filter), sort: '-name' })
        await open(`/persons?${parameters}`)
        await openPanel('Filter')
        await submit('Apply')
        await page.waitForURL(/sort/)
        const { searchParams } = new URL(page.url())
        assert.deepEqual(JSON.parse(searchParams.get('filter') ?? ''), filter)
        assert.equal(searchParams.get('sort'), '-name')
      },
    )

    it('given a form with an error, when it is sent, then the error is at its field and can be corrected', async () => {
      await open('/persons')
      await openPanel('Create person')
      await page.getByLabel('email (email)').fill('not an address')
      await page.getByLabel('gender (text)').fill('female')
      await submit('Create')
      const email = page.locator('[aria-invalid]', { has: page.locator('xpath=self::input') })
      await email.waitFor()
      assert.equal(await email.getAttribute('name'), 'email')
      const described = await email.getAttribute('aria-describedby')
      assert.match(await page.locator(`[id="${described}"]`).innerText(), /email must be an e-mail/)
      assert.equal(
        (await page.locator('[data-pointer="/data/attributes/name"] .field-error').innerText()) !==
          '',
        true,
      )
      await page.getByLabel('name (text, required)').fill('Grace "<b>" Hopper')
      await page.getByLabel('email (email)').fill('grace@example.org')
      await page
        .getByLabel(/^computers/)
        .last()
        .fill('1\n3')
      await submit('Create')
      await page.waitForURL(/\/persons\/\d+$/)
      assert.match(await heading(), /GRACE "<B>" HOPPER <grace@example.org>/)
      await page.getByRole('link', { name: 'linkage' }).click()
      assert.deepEqual(await page.locator('.members a').allInnerTexts(), [
        'computer 1',
        'computer 3',
      ])
    })

    it(
      'given a filter with an error, when it is applied, then the form shows the error and can be corrected',
      long,
      async () => {
        await open('/persons')
        await openPanel('Filter')
        await page.getByLabel('Add condition').click()
        await page.getByLabel('Field').selectOption('birth_date')
        await page.getByLabel('Operator').selectOption('is not null')
        await page.getByLabel('Sort').fill('colour')
        await submit('Apply')
        await page.getByText('person has no field "colour"; the fields to sort by are').waitFor()
        assert.equal(page.url(), `${service.url}/persons`)
        assert.deepEqual(await findAxeViolations(page), [])
        await page.getByLabel('Sort').fill('-birth_date')
        await submit('Apply')
        await page.waitForURL(/sort=-birth_date/)
        assert.match(await page.locator('.filters').innerText(), /birth_date isnot null/)
      },
    )

    it(
      'given an attribute, when a form makes it null, then only this attribute changes',
      long,
      async () => {
        await open('/persons/5')
        await openPanel('Update person')
        await page.getByLabel('null').check()
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await submit('Update')
        assert.deepEqual((await sent).postDataJSON(), {
          data: { type: 'person', id: '5', attributes: { gender: null } },
        })
        await page.waitForLoadState()
        await page.locator('dd .null').waitFor()
      },
    )

    it(
      'given what was entered in forms, when the user comes back to the page, then they have what is stored and in the address',
      long,
      async () => {
        const comeBack = async () => {
          await page.goto(`${service.url}/computers/1`)
          await page.goBack()
          await page.locator('html.script').waitFor()
        }
        await open('/persons/6')
        await openPanel('Update person')
        await page.getByLabel('gender (text)').fill('unknown')
        await page.getByLabel('null for gender').check()
        await comeBack()
        assert.equal(await page.getByLabel('gender (text)').inputValue(), 'female')
        assert.equal(await page.getByLabel('null for gender').isChecked(), false)
        await page.goto(`${service.url}/persons`)
        await openPanel('Filter')
        await page.getByLabel('computers', { exact: true }).first().check()
        await comeBack()
        const box = page.getByLabel('computers', { exact: true }).first()
        assert.equal(await box.isChecked(), false)
      },
    )

    it('changes a relationship: to one resource, to null, and members of a set', long, async () => {
      await open('/computers/9/relationships/owner')
      await page.getByLabel('Set person by id').pressSequentially('Ada A')
      await page.locator('datalist option[value="1"]').waitFor({ state: 'attached' })
      await page.getByLabel('Set person by id').fill('1')
      await submit('Set')
      await page.getByRole('link', { name: 'person 1' }).waitFor()
      await page.getByLabel('Remove person 1 from owner').click()
      await page.locator('main p', { hasText: 'null' }).waitFor()

      await page.goto(`${service.url}/persons/1/relationships/computers`)
      await page.getByLabel('Add computer by id').fill('99999')
      await submit('Add')
      await page.locator('.field-error', { hasText: '99999' }).waitFor()
      await page.getByLabel('Add computer by id').fill('9')
      await submit('Add')
      await page.getByRole('link', { name: 'computer 9' }).waitFor()
      await page.getByLabel('Remove computer 9 from computers').click()
      await page.getByText('No resource is linked.').waitFor()
    })

    it(
      'given the form of a resource, when its relationships are edited, then only what has changed is sent',
      long,
      async () => {
        await open('/computers/11')
        const owner = await page.evaluate(
          'fetch("/computers/11/relationships/owner").then((r) => r.json()).then(({ data }) => data?.id ?? "")',
        )
        await openPanel('Update computer')
        const input = page.getByLabel('owner (id of person)')
        await page.locator('[data-linkage-at]:enabled').first().waitFor()
        assert.equal(await input.inputValue(), owner)
        await input.fill('99999')
        await submit('Update')
        await page.locator('.field-error', { hasText: '99999' }).waitFor()
        assert.deepEqual(await findAxeViolations(page), [])
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await findAxeViolations(page, ['color-contrast']), [])
        const other = owner === '7' ? '8' : '7'
        await input.fill(other)
        const reloaded = page.waitForEvent('load')
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await submit('Update')
        assert.deepEqual((await sent).postDataJSON(), {
          data: {
            ...{ type: 'computer', id: '11' },
            relationships: { owner: { data: { type: 'person', id: other } } },
          },
        })
        await reloaded
        await page.goto(`${service.url}/persons/${other}`)
        await openPanel('Update person')
        const members = page.getByLabel('computers (ids of computer, one per line)')
        await page.locator('[data-linkage-at]:enabled').first().waitFor()
        const ids = (await members.inputValue()).split('\n')
        assert.ok(ids.includes('11'))
        await members.fill(ids.filter((id) => id !== '11').join('\n'))
        const again = page.waitForEvent('load')
        await submit('Update')
        await again
        await page.goto(`${service.url}/computers/11/relationships/owner`)
        await page.locator('main p', { hasText: 'null' }).waitFor()
      },
    )

    it('deletes a resource, and goes to its collection', long, async () => {
      await open('/computers/20')
      await openPanel('Delete computer')
      await submit('Delete')
      await page.waitForURL(/\/computers$/)
      await page.goto(`${service.url}/computers/20`)
      assert.equal(await heading(), '404 The resource does not exist')
    })

    it(
      'given no JavaScript, when a list is read, then it can be sorted and paged, and no control is dead',
      long,
      async () => {
        await open('/', { javaScriptEnabled: false })
        assert.match(await page.locator('td.count').first().innerText(), /^3\d\d$/)
        await page.goto(`${service.url}/persons?page[size]=5`)
        await page.locator('thead a', { hasText: 'birth_date' }).click()
        await page.locator('thead a', { hasText: 'birth_date' }).click()
        assert.match(page.url(), /sort=-birth_date/)
        const first = await page.locator('tbody th').allInnerTexts()
        await page.getByRole('link', { name: 'Next' }).click()
        assert.match(await page.locator('.pager').innerText(), /Page 2 of 6\d/)
        assert.notDeepEqual(await page.locator('tbody th').allInnerTexts(), first)
        await page.locator('tbody th a').first().click()
        assert.match(await heading(), /^person \d+ /)
        assert.equal(await page.locator('button:visible, input:visible, select:visible').count(), 0)
      },
    )

    it(
      'given no JavaScript, when a list is read between cursors, then it is sorted and paged, and more members are loaded',
      long,
      async () => {
        const names = () => page.locator('tbody th').allInnerTexts()
        const follow = (name: string) => page.getByRole('link', { name, exact: true }).click()
        await open('/persons?page[size]=5&page[total]=none', { javaScriptEnabled: false })
        const first = await names()
        await follow('Next')
        assert.match(page.url(), /after/)
        assert.doesNotMatch(await page.locator('h1').innerText(), /\d/)
        const second = await names()
        assert.equal(new Set([...first, ...second]).size, 10)
        await follow('Previous')
        assert.deepEqual(await names(), first)
        await follow('Last')
        await page.locator('thead a', { hasText: 'birth_date' }).click()
        assert.doesNotMatch(page.url(), /after|before/)
        assert.equal((await names()).length, 5)
        const filter = '[{"name":"computers","op":"count_ge","val":2}]'
        const query = `include=computers&includePage[computers][size]=1&filter=${filter}`
        await page.goto(`${service.url}/persons?${query}`)
        await page.getByRole('link', { name: 'more', exact: true }).first().click()
        assert.match(page.url(), /relationships\/computers\?.*number/)
        const members = () => page.locator('.members li').allInnerTexts()
        const more = await members()
        await follow('Previous')
        assert.notDeepEqual(await members(), more)
      },
    )

    it(
      'given the keyboard alone, when the skip link is used, then the content has the focus',
      long,
      async () => {
        await open('/persons')
        await page.keyboard.press('Tab')
        assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
        await page.keyboard.press('Enter')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await page.getByLabel('Add condition').waitFor()
        await page.keyboard.press('Tab')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        assert.equal(await page.getByLabel('Field').count(), 1)
      },
    )
  })
}

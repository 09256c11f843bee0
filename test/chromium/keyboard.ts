import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const describeFocus = readFileSync(new URL('describe-focus.js', import.meta.url), 'utf8')

/** The element that has the focus. */
interface Focused {
  /** Its label, or the beginning of its text. */
  readonly name: string
  /** `body` if no element has the focus. */
  readonly tag: string
  readonly value: string
  readonly isInvalid: boolean
  /** Its description, e.g. its error, if it is in the viewport. */
  readonly description: string
  /** True if the element is above the one before, or left of it on its line. */
  readonly isBackwards: boolean
  readonly violations: readonly string[]
}

/** The most elements that one page of these tests lets the focus go to. */
const maxStops = 300

/** Uses a page by the keyboard alone. Each key fails unless the focus is then on an element that can be seen, and is marked. */
export class Keyboard {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  /** Describes the element that has the focus. */
  async focused(): Promise<Focused> {
    return await this.page.evaluate(describeFocus)
  }

  /** Presses keys one after the other, e.g. `Tab` or `Shift+Tab`. */
  async press(...keys: readonly string[]): Promise<Focused> {
    for (const key of keys) await this.page.keyboard.press(key)
    const focused = await this.focused()
    assert.notEqual(focused.tag, 'body', `${keys} has lost the focus`)
    assertVisible(focused)
    return focused
  }

  /** Presses a key that opens another page. */
  async leave(url: RegExp, key = 'Enter'): Promise<void> {
    const loaded = this.page.waitForURL(url)
    await this.page.keyboard.press(key)
    await loaded
    await this.page.locator('html.script').waitFor()
  }

  /** Presses Tab until an element has the focus. @param name - the beginning of its name */
  async tabTo(name: string, key = 'Tab'): Promise<Focused> {
    const passed: string[] = []
    while (passed.length < maxStops) {
      const focused = await this.press(key)
      assertInOrder(focused, key)
      if (focused.name.startsWith(name)) return focused
      passed.push(focused.name)
    }
    return assert.fail(`${key} does not reach ${name}: ${passed.join(' | ')}`)
  }

  /** Presses Tab from the beginning of a page until the focus leaves it. @returns the names of the elements */
  async tabThrough(key = 'Tab'): Promise<string[]> {
    const names: string[] = []
    while (names.length < maxStops) {
      await this.page.keyboard.press(key)
      const focused = await this.focused()
      if (focused.tag === 'body') return names
      assertVisible(focused)
      assertInOrder(focused, key)
      names.push(focused.name)
    }
    return assert.fail(`the focus does not leave the page: ${names.slice(-20).join(' | ')}`)
  }

  /** Types a text into the element that has the focus. */
  async type(text: string): Promise<Focused> {
    await this.page.keyboard.type(text)
    return this.press()
  }

  /** Replaces the text of the element that has the focus. */
  async replace(text: string): Promise<Focused> {
    await this.page.keyboard.press('Control+A')
    return this.type(text)
  }
}

function assertVisible({ name, tag, violations }: Focused): void {
  assert.deepEqual(violations, [], `${tag} "${name}"`)
}

function assertInOrder({ name, tag, isBackwards }: Focused, key: string): void {
  if (key === 'Tab') assert.ok(!isBackwards, `${tag} "${name}" is before the last element`)
}

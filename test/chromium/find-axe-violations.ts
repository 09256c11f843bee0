import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const readSource = () =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The parts of a report of axe-core that a failed test shows. */
interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * Lists the violations of accessibility rules on a page: those of WCAG 2.2 A and AA, and of best practices.
 * @param rules - the names of the only rules to check. Default: all
 * @see https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md
 */
export async function findAxeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules ? { runOnly: { type: 'rule', values: rules } } : {}
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(readSource())
  const violations: Violation[] = await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then((result) => result.violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}

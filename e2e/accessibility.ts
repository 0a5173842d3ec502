import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import * as z from 'zod'
import { takeScreenshots } from './chromium.ts'

const Violations = z.array(z.object({ id: z.string(), impact: z.string().nullish(), nodes: z.array(z.object({ html: z.string() })) }))

/** Checks a page with axe in a wide and a narrow window, light and dark. axe is injected as a script, so the page must allow scripts. */
export async function inspectPage(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  await takeScreenshots(page, name, async () => {
    const found = Violations.parse(await page.evaluate('axe.run(document).then(({ violations }) => violations)'))
    expect(found.map(({ id, impact, nodes }) => ({ id, impact, on: nodes.map(({ html }) => html) }))).toEqual([])
    const overflow = z.number().parse(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    expect(overflow).toBeLessThanOrEqual(0)
  })
}

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { shareOf } from '../packages/testing/src/runs.ts'
import { chromiumPath } from './chromium-path.ts'

export { chromiumPath } from './chromium-path.ts'

const windows = { wide: { width: 900, height: 900 }, narrow: { width: 360, height: 740 } }

const looks = [
  { window: 'wide', colorScheme: 'light' },
  { window: 'wide', colorScheme: 'dark' },
  { window: 'narrow', colorScheme: 'light' },
  { window: 'narrow', colorScheme: 'dark' },
] as const

let launching: Promise<Browser> | undefined
afterAll(async () => (await launching)?.close())

interface PageOptions {
  /** True if scripts run; by default they do not, because our pages have none. */
  readonly runsScripts?: boolean
}

/** An empty page without cookies and scripts, which our pages do not need. */
export async function newPage({ runsScripts = false }: PageOptions = {}): Promise<Page> {
  if (chromiumPath === undefined) throw new Error('Chromium is not installed; .ci/run installs it.')
  // Chromium's sandbox does not work for root, the user in containers.
  launching ??= chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const context = await (await launching).newContext({ javaScriptEnabled: runsScripts, viewport: windows.wide })
  return context.newPage()
}

/** Takes a screenshot for people to look at, if `APP_PICTURES=DIR` is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['APP_PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name.replaceAll(' ', '-')}.png`) })
}

let shown = 0

/** Shows a page in a wide and a narrow window, light and dark; without `LONG=full`, each page has the next of the four looks. */
export async function takeScreenshots(page: Page, name: string, inspect: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  shown += 1
  for (const { window, colorScheme } of shareOf(looks, looks.length, shown)) {
    await page.setViewportSize(windows[window])
    await page.emulateMedia({ colorScheme })
    await picture(page, `${name}-${window}-${colorScheme}`)
    await inspect()
  }
  await page.setViewportSize(windows.wide)
}

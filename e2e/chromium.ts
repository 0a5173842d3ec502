import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { chromiumPath } from './chromium-path.ts'

export { chromiumPath } from './chromium-path.ts'

const windows = { wide: { width: 900, height: 900 }, narrow: { width: 360, height: 740 } }

let launching: Promise<Browser> | undefined
afterAll(async () => (await launching)?.close())

let screenshotFolder: Promise<string> | undefined

interface PageOptions {
  /** True if scripts run; by default they do not, because our pages have none. */
  readonly runsScripts?: boolean
}

/** An empty page without cookies and scripts, which our pages do not need. */
export async function newPage({ runsScripts = false }: PageOptions = {}): Promise<Page> {
  if (chromiumPath === undefined) throw new Error('Chromium is not installed; .ci/run installs it.')
  // Its sandbox does not work for root, as whom containers run.
  launching ??= chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const context = await (await launching).newContext({ javaScriptEnabled: runsScripts, viewport: windows.wide })
  return context.newPage()
}

/** Takes screenshots in a wide and a narrow window, light and dark, into a temporary directory. */
export async function takeScreenshots(page: Page, name: string, inspect: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  screenshotFolder ??= mkdtemp(path.join(tmpdir(), 'pages-'))
  for (const [window, size] of Object.entries(windows)) {
    await page.setViewportSize(size)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: path.join(await screenshotFolder, `${name}-${window}-${colorScheme}.png`) })
      await inspect()
    }
  }
  await page.setViewportSize(windows.wide)
}

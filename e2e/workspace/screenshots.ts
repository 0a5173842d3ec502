// Takes the animated picture of the README, docs/images/agent-at-work.svg: the board in a browser while an agent works.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../chromium-path.ts'
import { picture, workAtBoard } from './agent-at-work.ts'
import { filmOf, type Frame } from './film.ts'

/** Most bytes that a README can carry. */
const maxBytes = 600_000
const size = { width: 1000, height: 540 }

if (chromiumPath === undefined) throw new Error('Chromium is not installed. On Debian: apt-get install chromium')
const dataDirectory = mkdtempSync(path.join(tmpdir(), 'screenshots-'))
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'],
})
const page = await browser.newPage({ viewport: size, colorScheme: 'light', reducedMotion: 'reduce' })
const frames: Frame[] = []
let before = ''
await workAtBoard(dataDirectory, async ({ caption, digest }, workspace) => {
  if (frames.length === 0) await page.goto(workspace)
  // No one reloads the page.
  for (let waits = 0; waits < 50 && (await page.content()) === before; waits += 1) await page.waitForTimeout(100)
  frames.push({ jpeg: await page.screenshot({ type: 'jpeg', quality: 60 }), caption, digest })
  before = await page.content()
})
await browser.close()
rmSync(dataDirectory, { recursive: true, force: true })
const film = filmOf(frames, { ...size, secondsPerFrame: 2.5, title: 'The board of issues changes while an agent works' })
if (film.length > maxBytes) throw new Error(`The picture has ${film.length} bytes, and at most ${maxBytes} are allowed.`)
writeFileSync(picture, film)
process.stdout.write(`docs/images/agent-at-work.svg: ${film.length} bytes\n`)

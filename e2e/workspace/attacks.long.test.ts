import type { Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chromiumPath, newPage } from '../chromium.ts'
import { payloads } from './payloads.ts'
import { startEvents, startFiles, startSite, startTracker, type Watched } from './servers.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

async function opened<Resource extends AsyncDisposable>(starting: Promise<Resource>): Promise<Resource> {
  const resource = await starting
  onTestFinished(async () => {
    await resource[Symbol.asyncDispose]()
  })
  return resource
}

/** What a page has run or tried to run although it may not. */
function watch(page: Page) {
  const seen: string[] = []
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) seen.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).hostname !== '127.0.0.1' && !request.url().startsWith('data:,')) seen.push(request.url())
  })
  return async (url: string) => {
    await page.goto(url)
    await page.locator('#status').waitFor()
    if ((await page.evaluate('window.pwned')) !== undefined) seen.push(`ran on ${url}`)
    return seen
  }
}

/** The most pages of one workspace that are opened. */
const maxPages = 90

/** Opens every page of a workspace that links lead to, and returns their number. */
async function crawl(page: Page, { workspace }: Watched, look: (url: string) => Promise<readonly string[]>): Promise<number> {
  const found = new Set([workspace])
  for (const url of found) {
    expect(await look(url)).toEqual([])
    const links = await page.locator('a[href^="/workspace"]').evaluateAll((all) => all.map((each) => String(Reflect.get(each, 'href'))))
    for (const link of links) if (!link.includes('/content/') && !link.includes('#') && found.size < maxPages) found.add(link)
  }
  return found.size
}

describe.runIf(shouldRun)('in Chromium', () => {
  test('stored text never executes', async () => {
    const types = [
      'text/plain',
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/markdown',
      'image/png',
      'text/javascript',
      'application/json',
    ]
    const typeOf = (url = '') => types[Number(url.slice(1)) % types.length] ?? ''
    const bodies = new Map(payloads.map((payload, index) => [`/${index}`, payload]))
    const site = await opened(startSite(({ url }, response) => response.setHeader('content-type', typeOf(url)).end(bodies.get(url ?? ''))))
    const [tracker, files, events] = [await opened(startTracker()), await opened(startFiles(site)), await opened(startEvents())]
    expect(payloads).toHaveLength(60)
    for (const [index, payload] of payloads.entries()) {
      // Names hold no characters of control.
      const name = payload.replace(/[\t\0]/g, ' ')
      await tracker.call('CreateIssue', { team: 'ENG', title: name.slice(0, 200), description: payload.replace('\0', ''), state: 'Todo' })
      if (index % 4 === 0) await tracker.call('AddComment', { issue: 'ENG-1', body: payload.replace('\0', '') })
      if (index % 10 === 0) {
        await tracker.call('CreateProject', { name: name.slice(0, 60), team: 'ENG', description: name.slice(0, 200) })
        await tracker.call('CreateInitiative', { name: name.slice(0, 60), description: name.slice(0, 200) })
      }
      const upload = { file_name: name.replace(/[/\\]/g, '|'), source_url: `http://${site.host}/${index}` }
      await files.call('UploadFile', upload)
      const body = { userId: payload, event: payload, properties: { [payload]: payload } }
      await events.call('TrackUserEvent', { mode: 'execute', request_body: JSON.stringify(body) })
      await events.call('IdentifyPersonAndAssignTraits', {
        mode: 'execute',
        request_body: JSON.stringify({ userId: payload, traits: { [payload]: payload } }),
      })
    }
    const page = await newPage({ runsScripts: true })
    const look = watch(page)
    let count = 0
    for (const server of [tracker, files, events]) count += await crawl(page, server, look)
    expect(count).toBeGreaterThan(200)

    // What arrives while a page is open is put into it by a script.
    const live = await newPage({ runsScripts: true })
    const seen = await watch(live)(tracker.workspace)
    for (const payload of payloads.slice(0, 20))
      await tracker.call('CreateIssue', { team: 'ENG', title: `live ${payload.replace(/[\t\0]/g, ' ')}`.slice(0, 200) })
    await live.getByText('live ').first().waitFor()
    expect([await live.evaluate('window.pwned'), seen]).toEqual([undefined, []])
  }, 300_000)

  test('a page of another origin can neither read nor change nor frame anything', async () => {
    const tracker = await opened(startTracker())
    await tracker.call('CreateIssue', { team: 'ENG', title: 'A secret of ours' })
    const hostile = await opened(
      startSite((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>')),
    )
    const page = await newPage({ runsScripts: true })
    await page.goto(`http://${hostile.host}/`)
    const base = tracker.workspace
    const run = (script: string) => page.evaluate(`(async () => { ${script} })()`)
    expect(await run(`return fetch('${base}/board').then(() => 'read', () => 'refused')`)).toBe('refused')
    expect(await run(`return fetch('${base}/board', { mode: 'no-cors' }).then((r) => r.type + r.status, () => 'refused')`)).toMatch(
      /opaque0|refused/,
    )
    expect(
      await run(
        `return new Promise((end) => { const s = new EventSource('${base}/updates'); s.onmessage = () => end('read'); s.onerror = () => end('refused') })`,
      ),
    ).toBe('refused')
    for (const [tag, attribute, path] of [
      ['script', 'src', '/assets/workspace.js'],
      ['img', 'src', '/content/any'],
      ['link', 'href', '/assets/workspace.css'],
    ]) {
      const element = `const e = document.createElement('${tag}'); e.rel = 'stylesheet'; e.onload = () => end('loaded'); e.onerror = () => end('refused')`
      expect(await run(`return new Promise((end) => { ${element}; e.${attribute} = '${base}${path}'; document.head.append(e) })`)).toBe(
        'refused',
      )
    }
    await run(
      `const f = document.createElement('iframe'); f.src = '${base}'; document.body.append(f); await new Promise((end) => { f.onload = end })`,
    )
    for (const frame of page.frames().slice(1)) expect(await frame.content()).not.toContain('A secret of ours')
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(
        await run(
          `return fetch('${base}/board', { method: '${method}', body: 'x', mode: 'no-cors' }).then((r) => r.type, () => 'refused')`,
        ),
      ).toMatch(/opaque|refused/)
    const before = await (await fetch(`${base}/activity`)).text()
    expect(before.match(/id="change-/g)).toHaveLength(1)
    // A window that it opens has no way back to it, nor it to the window.
    expect(
      await run(
        `const w = open('${base}'); await new Promise((end) => setTimeout(end, 500)); try { return String(w === null || w.closed || w.document.body === undefined) } catch { return 'refused' }`,
      ),
    ).toMatch(/true|refused/)
  })

  test('a name that is made to lead to this machine gets nothing', async () => {
    const tracker = await opened(startTracker())
    await tracker.call('CreateIssue', { team: 'ENG', title: 'A secret of ours' })
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP attacker.example 127.0.0.1']
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const response = await page.goto(tracker.workspace.replace('127.0.0.1', 'attacker.example'))
    expect(response?.status()).toBe(403)
    expect(await page.content()).not.toContain('A secret of ours')
  })
})

import { member } from '@mcp-toolkits/core/base'
import type { Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFull } from '../../packages/testing/src/runs.ts'
import { chromiumPath, newPage } from '../chromium.ts'
import { payloads } from './payloads.ts'
import { startEvents, startFiles, startSite, startTracker, type Watched } from './servers.ts'

const square = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

async function opened<Resource extends AsyncDisposable>(starting: Promise<Resource>): Promise<Resource> {
  const resource = await starting
  onTestFinished(async () => {
    await resource[Symbol.asyncDispose]()
  })
  return resource
}

/** Collects scripts that a page ran, or tried to run, in violation of its policy. */
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

/** Maximum number of pages of a workspace that are opened. */
const maxPages = isFull ? 90 : 12

/** Opens every page of a workspace that can be reached by links, and returns the number of pages. */
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
      // Names contain no control characters.
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
    expect(count).toBeGreaterThan(2 * maxPages)

    // A script inserts events that arrive while a page is open.
    const live = await newPage({ runsScripts: true })
    const seen = await watch(live)(tracker.workspace)
    for (const payload of payloads.slice(0, 20))
      await tracker.call('CreateIssue', { team: 'ENG', title: `live ${payload.replace(/[\t\0]/g, ' ')}`.slice(0, 200) })
    await live.getByText('live ').first().waitFor()
    expect([await live.evaluate('window.pwned'), seen]).toEqual([undefined, []])
  }, 600_000)

  test('a page of another origin can neither read nor change nor frame anything', async () => {
    const hostile = await opened(
      startSite((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>')),
    )
    const picture = await opened(startSite((_, response) => response.setHeader('content-type', 'image/svg+xml').end(square)))
    const [tracker, files] = [await opened(startTracker()), await opened(startFiles(picture))]
    await tracker.call('CreateIssue', { team: 'ENG', title: 'A secret of ours' })
    const uploaded = await files.call('UploadFile', { file_name: 'square.svg', source_url: `http://${picture.host}/` })
    const image = `${files.workspace}/content/${String(member(member(uploaded, 'file'), 'id'))}`
    const base = tracker.workspace
    expect((await fetch(image)).status).toBe(200)

    const page = await newPage({ runsScripts: true })
    await page.goto(`http://${hostile.host}/`)
    // A page cannot read an answer that is not for it, but the test can.
    const statuses: number[] = []
    page.on('response', (response) => statuses.push(response.status()))
    const run = (script: string) => page.evaluate(`(async () => { ${script} })()`)
    const attempts = [
      `fetch('${base}/board').catch(() => undefined)`,
      `fetch('${base}/board', { mode: 'no-cors' }).catch(() => undefined)`,
      ...['POST', 'PUT', 'DELETE'].map(
        (method) => `fetch('${base}/board', { method: '${method}', body: 'x', mode: 'no-cors' }).catch(() => 0)`,
      ),
      `new Promise((end) => { const s = new EventSource('${base}/updates'); s.onopen = s.onerror = () => { s.close(); end() } })`,
      ...[
        ['script', 'src', `${base}/assets/workspace.js`],
        ['img', 'src', image],
        ['link', 'href', `${base}/assets/workspace.css`],
        ['iframe', 'src', base],
      ].map(
        ([tag = '', attribute = '', url = '']) =>
          `new Promise((end) => { const e = document.createElement('${tag}'); e.rel = 'stylesheet'; e.onload = e.onerror = end; e.${attribute} = '${url}'; document.body.append(e) })`,
      ),
    ]
    for (const attempt of attempts) await run(`await ${attempt}`)
    expect(statuses.filter((status) => status !== 403 && status !== 405)).toEqual([])
    // Chromium hides most responses; these are the headers of its requests.
    for (const [url, destination] of [
      [`${base}/board`, 'empty'],
      [`${base}/updates`, 'empty'],
      [`${base}/assets/workspace.js`, 'script'],
      [`${base}/assets/workspace.css`, 'style'],
      [image, 'image'],
      [base, 'iframe'],
    ] as const) {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': destination === 'iframe' ? 'navigate' : 'no-cors' }
      const { status } = await fetch(url, { headers: { ...headers, 'sec-fetch-dest': destination } })
      expect([url, status]).toEqual([url, 403])
    }
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await fetch(`${base}/board`, { method, body: 'x' })).status).toBe(405)
    for (const frame of page.frames().slice(1)) expect(await frame.content()).not.toContain('A secret of ours')
    const after = await (await fetch(`${base}/activity`)).text()
    expect(after.match(/id="change-/g)).toHaveLength(1)

    // A link leads there, but neither window can reach the other.
    const [popup] = await Promise.all([page.context().waitForEvent('page'), run(`window.w = open('${base}')`)])
    await popup.locator('#status').waitFor()
    expect([await popup.evaluate('window.opener'), await page.evaluate('window.w === null || window.w.closed')]).toEqual([null, true])
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

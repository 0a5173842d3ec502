import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'
import { inspectPage } from '../accessibility.ts'
import { chromiumPath, newPage } from '../chromium.ts'
import { exitOf, startNode, temporaryDirectory } from '../command.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

/** Maximum time, in milliseconds, for a person with a fast hand; the machine may be busy with other tests. */
const handMs = 10_000

/** Serves like `npm start`, with its own data. */
async function start() {
  const home = await temporaryDirectory()
  const child = startNode([path.join(import.meta.dirname, '..', '..', 'scripts', 'start.ts')], { HOME: home, XDG_DATA_HOME: '' })
  const output = collectOutput(child.stdout)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exitOf(child)
  })
  const page = await output.match(/Open (http:\S+) in a browser/)
  const tracker = await output.match(/Linear +http:\S+ +MCP: (http:\S+)/)
  return { page, tracker }
}

describe.runIf(shouldRun)('in Chromium, from the page of npm start', () => {
  test('a search, a filter, a call that fails and a reset are each done in under ten seconds', { timeout: 180_000 }, async () => {
    const served = await start()
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(served.tracker)))
    onTestFinished(() => client.close())
    const create = (args: Readonly<Record<string, string>>) => client.callTool({ name: 'IssueTracker_CreateIssue', arguments: args })
    await create({ team: 'ENG', title: 'A kestrel on the mast', priority: 'urgent' })
    expect((await create({ team: 'Kestrels', title: 'Nobody has this team' })).isError).toBe(true)

    const page = await newPage({ runsScripts: true })
    const times: number[] = []
    const within = async (work: () => Promise<void>) => {
      const started = performance.now()
      await page.goto(served.page)
      await work()
      times.push(performance.now() - started)
    }
    const open = (name: string) => page.getByRole('link', { name, exact: true }).click()
    await within(async () => {
      await open('Workspace of Linear')
      await page.locator('#status[data-state=live]').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('kestrel')
      await page.keyboard.press('Enter')
      await page.locator('.rows').getByText('A kestrel on the mast').waitFor()
      expect(await page.locator('.rows > li').count()).toBe(1)
    })
    await within(async () => {
      await open('Workspace of Linear')
      await page.getByRole('combobox', { name: 'priority' }).selectOption('Urgent')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.waitForURL(/priority=1/)
      const rows = await page.locator('.rows > li').count()
      expect([rows > 2, await page.locator('.rows [aria-label="Priority: Urgent"]').count()]).toEqual([true, rows])
    })
    await within(async () => {
      await open('Calls of Linear')
      await page.getByRole('combobox', { name: 'outcome' }).selectOption('Refused or failed')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.waitForURL(/outcome=failed/)
      await page.locator('summary', { hasText: 'Kestrels' }).click()
      await page.locator('pre', { hasText: /No team matches .*Kestrels/ }).waitFor()
    })
    await within(async () => {
      await open('Reset of Linear')
      await page.getByRole('button', { name: 'Reset the data of Linear' }).click()
      await page.waitForURL(/\/workspace$/)
      await page.getByRole('heading', { name: 'Engineering' }).waitFor()
      expect(await page.getByText('A kestrel on the mast').count()).toBe(0)
    })
    expect(times.filter((time) => time > handMs)).toEqual([])

    // The server continues with the data after the reset.
    expect((await create({ team: 'ENG', title: 'After the reset' })).isError).not.toBe(true)
    await page.locator('main').getByText('After the reset').waitFor()
    await page.getByRole('link', { name: 'Google Drive' }).click()
    await page.getByRole('heading', { name: 'Files' }).waitFor()
    await page.goto(served.page)
    await inspectPage(page, 'start')
  })
})

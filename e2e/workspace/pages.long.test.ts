import type { RequestListener } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectPage } from '../accessibility.ts'
import { chromiumPath, newPage } from '../chromium.ts'
import { connectTasksAt } from '../../packages/testing/src/tasks.ts'
import { type Site, startEvents, startFiles, startSite, startTracker, type Watched } from './servers.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

/** Maximum time, in milliseconds, until a change is seen. Two changes may take longer, because other tests can keep the machine busy. */
const soonMs = 2_000

/** Opens a page that notices when it is reloaded. */
async function openPage(url: string): Promise<Page> {
  const page = await newPage({ runsScripts: true })
  await page.goto(url)
  await page.evaluate('window.isTheSame = true')
  return page
}

const isTheSame = (page: Page) => page.evaluate('window.isTheSame === true')

/** Responds with a file, half of which comes at once and the rest over hours. */
const drip: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '20000000' }).write(Buffer.alloc(10_000_000))
  const pieces = setInterval(() => response.write(Buffer.alloc(500)), 500)
  response.once('close', () => {
    clearInterval(pieces)
  })
}

const contents: Readonly<Record<string, RequestListener>> = {
  '/slow.bin': drip,
  '/plan.txt': (_, response) => response.setHeader('content-type', 'text/plain').end('Launch on Friday.'),
  '/plan.md': (_, response) => response.end('# Plan\n\nLaunch on Friday.'),
}

/** An agent's call, with the text that must appear and the page where it must. */
interface Step {
  readonly by: Watched
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly on: Page
  readonly appears: string
}

const track = (event: string) => ({ mode: 'execute', request_body: JSON.stringify({ userId: 'ada@example.com', event }) })

describe.runIf(shouldRun)('in Chromium', () => {
  const stack = new AsyncDisposableStack()
  let site: Site
  let tracker: Watched
  let files: Watched
  let events: Watched
  beforeAll(async () => {
    site = stack.use(await startSite((request, response) => contents[request.url ?? '']?.(request, response)))
    tracker = stack.use(await startTracker())
    files = stack.use(await startFiles(site))
    events = stack.use(await startEvents())
  }, 180_000)
  afterAll(() => stack.disposeAsync())

  test('twelve calls of an agent appear on board, tree and stream without a reload', async () => {
    const [board, tree, stream] = [await openPage(tracker.workspace), await openPage(files.workspace), await openPage(events.workspace)]
    const issue =
      /"identifier":"(ENG-\d+)"/.exec(JSON.stringify(await tracker.call('CreateIssue', { team: 'ENG', title: 'Before' })))?.[1] ?? ''
    const card = `#issue-${issue}`
    const onBoard = { by: tracker, on: board }
    const onTree = { by: files, on: tree }
    const onStream = { by: events, on: stream }
    const steps: readonly Step[] = [
      { ...onBoard, tool: 'CreateIssue', args: { team: 'ENG', title: 'Seen at once' }, appears: 'text=Seen at once' },
      { ...onBoard, tool: 'UpdateIssue', args: { issue_id: issue, title: 'Another title' }, appears: `${card} >> text=Another title` },
      {
        ...onBoard,
        tool: 'TransitionIssueState',
        args: { issue_id: issue, target_state: 'In Progress' },
        appears: `section:has-text("In Progress") ${card} >> text=TransitionIssueState`,
      },
      { ...onBoard, tool: 'AddComment', args: { issue, body: 'Hello' }, appears: `${card} >> text=AddComment` },
      { ...onTree, tool: 'CreateFolder', args: { folder_name: 'AAA Launch' }, appears: 'text=AAA Launch' },
      {
        ...onTree,
        tool: 'UploadFile',
        args: { file_name: 'plan.txt', source_url: `http://${site.host}/plan.txt`, destination_folder_path_or_id: 'AAA Launch' },
        appears: 'text=plan.txt',
      },
      {
        ...onTree,
        tool: 'RenameFile',
        args: { file_path_or_id: 'AAA Launch/plan.txt', new_filename: 'the plan.txt' },
        appears: 'tr:has-text("the plan.txt") >> text=RenameFile',
      },
      {
        ...onTree,
        tool: 'ShareFile',
        args: { file_path_or_id: 'AAA Launch/the plan.txt', email_addresses: ['someone@example.com'] },
        appears: 'tr:has(.inner):has-text("the plan.txt") >> text=ShareFile',
      },
      { ...onStream, tool: 'TrackUserEvent', args: track('Order Completed'), appears: 'text=Order Completed' },
      {
        ...onStream,
        tool: 'IdentifyPersonAndAssignTraits',
        args: { mode: 'execute', request_body: '{"userId":"ada@example.com","traits":{"plan":"team"}}' },
        appears: 'li:has-text("ada@example.com") >> text=IdentifyPersonAndAssignTraits',
      },
      { ...onStream, tool: 'TrackUserEvent', args: track('Plan Changed'), appears: 'text=Plan Changed' },
      {
        ...onStream,
        tool: 'AddToGroup',
        args: { mode: 'execute', request_body: '{"userId":"ada@example.com","groupId":"acme"}' },
        appears: 'text=group acme',
      },
    ]
    const waits: number[] = []
    for (const { by, tool, args, on, appears } of steps) {
      const [called] = await Promise.all([
        by.call(tool, args).then(() => performance.now()),
        on.locator(`main >> ${appears}`).first().waitFor(),
      ])
      waits.push(Math.max(0, performance.now() - called))
    }
    expect(await Promise.all([board, tree, stream].map(isTheSame))).toEqual([true, true, true])
    expect(waits.filter((wait) => wait < soonMs).length).toBeGreaterThanOrEqual(10)
    await board.locator('#status').getByText('AddComment').waitFor()
  })

  test('pages are accessible, wide and narrow, light and dark', { timeout: 180_000 }, async () => {
    const made = JSON.stringify(
      await tracker.call('CreateIssue', { team: 'ENG', title: 'A title', description: 'Some *text*', priority: 'high' }),
    )
    const issue = /"identifier":"(ENG-\d+)"/.exec(made)?.[1] ?? ''
    await tracker.call('AddComment', { issue, body: 'A comment' })
    await files.call('UploadFile', { file_name: 'plan.md', mime_type: 'text/markdown', source_url: `http://${site.host}/plan.md` })
    await events.call('TrackUserEvent', track('Order Completed'))
    const page = await newPage({ runsScripts: true })
    const inspect = async (name: string, url: string) => {
      await page.goto(url)
      await inspectPage(page, `workspace-${name}`)
    }
    await inspect('board', tracker.workspace)
    await expect(tracker.call('CreateIssue', { team: 'None', title: 'A title' })).rejects.toThrow()
    await inspect('issue', `${tracker.workspace}/issue/${issue}`)
    for (const name of ['issues?q=title', 'projects', 'initiatives', 'activity', 'calls', 'requests', 'reset', 'nothing'])
      await inspect(name, `${tracker.workspace}/${name}`)
    await page.goto(`${tracker.workspace}/projects`)
    await page.locator('main li a').first().click()
    await inspectPage(page, 'workspace-project')
    await page.goto(`${tracker.workspace}/calls`)
    for (const call of (await page.locator('summary:visible').all()).slice(0, 2)) await call.click()
    await inspectPage(page, 'workspace-call')
    await inspect('files', files.workspace)
    await inspect('search', `${files.workspace}/search?q=plan`)
    await inspect('file-requests', `${files.workspace}/requests`)
    await page.goto(files.workspace)
    await page.getByRole('link', { name: 'plan.md' }).click()
    await page.getByText('Launch on Friday.').waitFor()
    await inspectPage(page, 'workspace-file')
    await inspect('trash', `${files.workspace}/trash`)
    await inspect('events', events.workspace)
    await page.locator('summary').first().click()
    await inspectPage(page, 'workspace-event')
    await inspect('person', `${events.workspace}/person?id=ada%40example.com`)
    await inspect('event-requests', `${events.workspace}/requests`)
  })

  test('a task is shown while it runs, and cancelled', async () => {
    await using tasks = await connectTasksAt(files.url)
    await tasks.begin('FileStorage_UploadFile', { file_name: 'slow.bin', source_url: `http://${site.host}/slow.bin` })
    const page = await openPage(`${files.workspace}/tasks`)
    await page.getByText('working').waitFor()
    await page.locator('progress').waitFor()
    await inspectPage(page, 'workspace-tasks')
    await page.getByRole('button', { name: 'Cancel FileStorage.UploadFile' }).click()
    await page.getByText('Cancelled after').waitFor()
    await inspectPage(page, 'workspace-cancelled-task')
    expect(await page.getByRole('button').count()).toBe(0)
  })

  test('the keyboard reaches everything, and a change takes away neither the focus nor what is open', async () => {
    const page = await openPage(tracker.workspace)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    const focused = () => page.evaluate('document.activeElement.getAttribute("href")')
    for (let presses = 0; presses < 40 && !String(await focused()).includes('/issue/'); presses += 1) await page.keyboard.press('Tab')
    const href = String(await focused())
    expect(href).toContain('/workspace/issue/')
    await tracker.call('CreateIssue', { team: href.split('/').at(-1)?.split('-')[0], title: 'In between' })
    await page.locator('main').getByText('In between').waitFor()
    expect(await focused()).toBe(href)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${href}`)

    await events.call('TrackUserEvent', track('First'))
    const stream = await openPage(events.workspace)
    await stream.locator('summary').first().focus()
    await stream.keyboard.press('Enter')
    await stream.locator('details[open]').waitFor()
    const body = String(await stream.evaluate('document.activeElement.closest("details").id'))
    const number = Number(body.replace('body-', ''))
    await events.call('TrackUserEvent', track('Second'))
    await stream.locator(`#event-${number + 1}`).waitFor()
    expect(await stream.locator(`#${body}`).getAttribute('open')).not.toBeNull()
    expect(await stream.evaluate('document.activeElement.closest("details").id')).toBe(body)
  })

  test('pages work without scripts', async () => {
    const page = await newPage()
    await page.goto(tracker.workspace)
    await page.locator('main li a').first().click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
  })
})

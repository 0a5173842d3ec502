import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { openEmulator } from './emulator.ts'

const teamId = idOf('Team Engineering')
const create = `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }`
const update = `mutation Update($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`
const comment = `mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`
const relate = `mutation Relate($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }`
const states = `{ workflowStates(filter: { team: { key: { eq: "ENG" } } }) { nodes { id name } } }`

/** An emulator, with functions that open a workspace page and send a request for a tool. */
function openWorkspace(options: Parameters<typeof openEmulator>[0] = {}) {
  const emulator = openEmulator(options)
  const open = async (path: string) => {
    const response = await emulator.fetch(`http://127.0.0.1/workspace${path}`)
    return { status: response.status, headers: response.headers, html: await response.text() }
  }
  const callWith = (tool: string) => (query: string, variables: Parameters<typeof emulator.ask>[1]) =>
    emulator.ask(query, variables, { authorization: 'lin_api_emulator', 'mcp-toolkits-call': tool })
  return { ...emulator, open, callWith }
}

/** A page's text, without tags. */
const textOf = (html: string) =>
  html
    .slice(html.indexOf('<main'))
    .split(/<[^<>]*>/)
    .join(' ')
    .split(/\s+/)
    .join(' ')

/** A board's columns by state name, each with the identifiers on its cards. */
function columnsOf(html: string): Record<string, string[]> {
  const sections = html.split('<section').slice(1)
  const nameOf = (section: string) =>
    textOf(`<main>${/<h2.*?<\/h2>/s.exec(section)?.[0] ?? ''}`)
      .trim()
      .replace(/ \d+$/, '')
  return Object.fromEntries(
    sections.map((section) => [nameOf(section), [...section.matchAll(/id="issue-([^"]+)"/g)].map(([, id = '']) => id)]),
  )
}

describe('the workspace of Linear', () => {
  it('shows a board, on which an issue moves with the tool that moved it', async () => {
    const { open, callWith, at, pass } = openWorkspace({ seed: 'empty' })
    const made = await callWith('CreateIssue')(create, { input: { teamId, title: 'Invitations expire' } })
    expect(textAt(made.data, 'issueCreate.issue.identifier')).toBe('ENG-1')
    const board = await open('')
    expect(board.status).toBe(200)
    expect(columnsOf(board.html)).toMatchObject({ Backlog: ['ENG-1'], 'In Progress': [] })
    expect(board.html).toContain('CreateIssue')

    const found = await at('workflowStates.nodes', states)
    const stateId = Array.isArray(found)
      ? found.map((state) => [textAt(state, 'name'), textAt(state, 'id')]).find(([name]) => name === 'In Progress')?.[1]
      : ''
    pass(60_000)
    await callWith('TransitionIssueState')(update, { id: 'ENG-1', input: { stateId } })
    const moved = await open('/board/ENG')
    expect(columnsOf(moved.html)).toMatchObject({ Backlog: [], 'In Progress': ['ENG-1'] })
    const issue = textOf((await open('/issue/ENG-1')).html)
    expect(issue).toContain('TransitionIssueState')
    expect(issue).toContain('state: Backlog → In Progress')
    expect(issue).toContain('as Robin Vance')
    expect(textOf((await open('/activity')).html)).toMatch(/TransitionIssueState ENG-1 Invitations expire .* CreateIssue ENG-1/)
  })

  it('shows an issue with comments, replies, relations from both ends and sub-issues', async () => {
    const { open, ask } = openWorkspace({ seed: 'empty' })
    const id = textAt((await ask(create, { input: { teamId, title: 'Parent', description: 'Why *this*' } })).data, 'issueCreate.issue.id')
    await ask(create, { input: { teamId, title: 'Child', parentId: id } })
    await ask(create, { input: { teamId, title: 'Other' } })
    await ask(comment, { input: { issueId: 'ENG-1', body: 'First & foremost' } })
    await ask(relate, { input: { issueId: 'ENG-1', relatedIssueId: 'ENG-3', type: 'blocks' } })
    const parent = textOf((await open('/issue/eng-1/any-slug')).html)
    for (const shown of [
      'Why this',
      'Sub-issues ENG-2 Child',
      'Blocks ENG-3 Other',
      'First &amp; foremost',
      'commentCreate',
      'issueRelationCreate',
    ])
      expect(parent).toContain(shown)
    expect(textOf((await open('/issue/ENG-3')).html)).toContain('Blocked by ENG-1 Parent')
    expect(textOf((await open('/issue/ENG-2')).html)).toContain('Parent ENG-1 Parent')
  })

  it('shows projects and initiatives with their progress', async () => {
    const { open, store } = openWorkspace()
    const projects = await open('/projects')
    expect(textOf(projects.html)).toMatch(/ \d of \d/)
    for (const { slugId, name } of store.projects().filter(({ archivedAt }) => archivedAt === null)) {
      const page = await open(`/project/anything-${String(slugId)}`)
      expect([page.status, page.html.includes('<h1')]).toEqual([200, true])
      expect(projects.html).toContain(String(slugId))
      expect(String(name)).not.toBe('')
    }
    for (const { slugId } of store.initiatives()) expect((await open(`/initiative/${String(slugId)}`)).status).toBe(200)
    expect((await open('/initiatives')).html).toContain('<progress')
  })

  it('leads from the addresses of people, updates and the inbox to pages', async () => {
    const { open, at } = openWorkspace()
    const pages = await at('projectUpdates.nodes', '{ projectUpdates { nodes { url } } }')
    const updates = Array.isArray(pages) ? pages.map((each) => new URL(textAt(each, 'url')).pathname.replace('/lodestar', '')) : []
    expect(updates.length).toBeGreaterThan(0)
    for (const path of updates) expect((await open(path)).html).toContain('Updates')
    const profile = new URL(textAt({ url: await at('viewer.url', '{ viewer { url } }') }, 'url')).pathname.replace('/lodestar', '')
    expect(textOf((await open(profile)).html)).toContain('Assigned issues')
    expect((await open('/inbox')).status).toBe(200)
  })

  it('is where URLs in results lead while it is served; otherwise they are empty', async () => {
    const emulator = openWorkspace({ links: 'workspace' })
    const { listen, at } = emulator
    const query = `{ viewer { url } issues(first: 3) { nodes { url comments { nodes { url } } } } projects { nodes { url } }
      projectUpdates { nodes { url } } initiatives { nodes { url } } notifications { nodes { url } } }`
    const urls = async () => [...JSON.stringify(await emulator.ask(query)).matchAll(/"url":"([^"]*)"/g)].map(([, url = '']) => url)
    expect(new Set(await urls())).toEqual(new Set(['']))
    const { url, close } = await listen()
    const served = await urls()
    expect(served.length).toBeGreaterThan(15)
    for (const each of served) {
      expect(each.startsWith(`${url}/workspace/`)).toBe(true)
      expect((await fetch(each)).status).toBe(200)
    }
    await close()
    expect(await at('viewer.url', '{ viewer { url } }')).toBe('')
  })

  it("has the issues' files, which a person can open without a key even if the emulator has moved", async () => {
    const { at, listen, open, fetch: send } = openWorkspace({ seed: 'company', links: 'workspace' })
    const upload = 'fileUpload(contentType: "text/plain", filename: "a b.txt", size: 5) { uploadFile { assetUrl uploadUrl } }'
    const place = await at('fileUpload.uploadFile', `mutation { ${upload} }`)
    await send(textAt(place, 'uploadUrl'), { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } })
    const [issueId, url] = [await at('issue.id', '{ issue(id: "ENG-21") { id } }'), textAt(place, 'assetUrl')]
    const attach = 'mutation($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }'
    await at('attachmentCreate.success', attach, { input: { issueId, url, title: 'Of a call' } })
    const urls = async () => {
      const nodes = await at('issue.attachments.nodes', '{ issue(id: "ENG-21") { attachments { nodes { url } } } }')
      return Array.isArray(nodes) ? nodes.map((each) => textAt(each, 'url')) : []
    }
    expect((await urls()).every((each) => each.startsWith('https://api.linear.app/uploads/'))).toBe(true)
    const listening = await listen()
    const served = await urls()
    expect(served).toHaveLength(2)
    for (const each of served) {
      expect(each.startsWith(`${listening.url}/workspace/uploads/`)).toBe(true)
      expect((await fetch(each)).headers.get('content-disposition')).toBe('attachment')
      expect((await open('/issue/ENG-21')).html).toContain(`href="${new URL(each).pathname}"`)
    }
    await listening.close()
  })

  it('shows requests with documents and variables, for a while, and no secret of a sign-in', async () => {
    const { open, ask, fetch: send } = openWorkspace({ seed: 'empty' })
    await ask(create, { input: { teamId, title: 'Shown & kept' } })
    await send('https://api.linear.app/oauth/token', { method: 'POST', body: new URLSearchParams({ client_secret: 'hidden' }) })
    const { html } = await open('/requests')
    expect(html).toContain('mutation Create($input: IssueCreateInput!)')
    expect(html).toContain('&quot;title&quot;: &quot;Shown &amp; kept&quot;')
    expect(html).not.toContain('hidden')
    for (let index = 0; index < 200; index += 1) await ask('{ viewer { id } }')
    expect((await open('/requests?before=3')).html).not.toContain('mutation Create(')
  })

  it('shows lists in pages', async () => {
    const { open, addIssues } = openWorkspace({ seed: 'empty' })
    addIssues(130)
    const { html } = await open('/board/ENG')
    const [, next = '', count = ''] = /href="([^"]*state=[^"]*)">All (\d+) issues</.exec(html) ?? []
    let [path, seen] = [next, new Set<string>()]
    for (let pages = 0; path !== ''; pages += 1) {
      const page = await open(path.replaceAll('&amp;', '&').replace('/workspace', ''))
      const ids = [...page.html.matchAll(/id="issue-([^"]+)"/g)].map(([, id = '']) => id)
      expect(ids.length).toBeLessThanOrEqual(50)
      seen = new Set([...seen, ...ids])
      path = /href="([^"]*before=[^"]*)"/.exec(page.html)?.[1] ?? ''
      expect(pages).toBeLessThan(4)
    }
    expect([seen.size, seen.size > 50]).toEqual([Number(count), true])
  })

  it('answers 404 to unknown paths, and 405 to anything but a read', async () => {
    const { open, fetch } = openWorkspace()
    for (const path of ['/issue/ENG-999', '/project/none-0123456789ab', '/team/NONE', '/nothing', '/profiles/no-one'])
      expect((await open(path)).status).toBe(404)
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await fetch('http://127.0.0.1/workspace/board', { method })).status).toBe(405)
  })
})

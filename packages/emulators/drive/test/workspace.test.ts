import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, folderType } from './connected.ts'

const files = '/upload/drive/v3/files'

/** An emulator, with functions that open a workspace page and add a file with content. */
function openWorkspace() {
  const emulator = connected({ seed: 'empty' })
  const open = async (path: string) => {
    const response = await emulator.fetch(`http://127.0.0.1/workspace${path}`)
    return { status: response.status, headers: response.headers, html: await response.text() }
  }
  const add = async (metadata: object, content: string, type = 'text/plain') => {
    const body = [
      '--b',
      'Content-Type: application/json',
      '',
      JSON.stringify(metadata),
      '--b',
      `Content-Type: ${type}`,
      '',
      content,
      '--b--',
      '',
    ]
    const headers = { 'content-type': 'multipart/related; boundary=b', 'mcp-toolkits-call': 'UploadFile' }
    return textAt(await emulator.get(`POST ${files}`, { query: { uploadType: 'multipart' }, headers, body: body.join('\r\n') }), 'id')
  }
  const addFolder = async (name: string, parent?: string) => {
    const metadata = { name, mimeType: folderType, ...(parent !== undefined && { parents: [parent] }) }
    return textAt(await emulator.get('POST /files', { body: metadata, headers: { 'mcp-toolkits-call': 'CreateFolder' } }), 'id')
  }
  return { ...emulator, open, add, addFolder }
}

const itemsOn = (html: string) => [...html.matchAll(/id="item-([^"]+)"/g)].map(([, id]) => id)

describe('the Drive workspace', () => {
  it('shows the files as a tree, with the tool that made each', async () => {
    const { open, add, addFolder } = openWorkspace()
    const plans = await addFolder('Plans & more')
    const launch = await addFolder('Launch', plans)
    const note = await add({ name: 'note <1>.txt', parents: [launch] }, 'Hello')
    const { html } = await open('')
    expect(itemsOn(html)).toEqual([plans, launch])
    expect(html).toContain('Plans &amp; more')
    expect(html).toContain('CreateFolder')
    const folder = (await open(`/drive/folders/${launch}`)).html
    expect(itemsOn(folder)).toEqual([note])
    expect(folder).toContain('note &lt;1&gt;.txt')
    expect(folder).toContain('UploadFile')
    expect(folder).toContain(`href="/workspace/drive/folders/${plans}"`)
  })

  it('shows a file with its text, its sharing by folders too, and its changes', async () => {
    const { open, add, addFolder, get, addPerson } = openWorkspace()
    for (const name of ['direct', 'above']) addPerson({ name, email: `${name}@example.com` })
    const folder = await addFolder('Shared')
    const note = await add({ name: 'note.md', parents: [folder] }, '# Title <script>alert(1)</script>', 'text/markdown')
    const share = (id: string, emailAddress: string) =>
      get(`POST /files/${id}/permissions`, {
        query: { sendNotificationEmail: false },
        body: { type: 'user', role: 'reader', emailAddress },
      })
    await share(folder, 'above@example.com')
    await share(note, 'direct@example.com')
    const { html } = await open(`/file/d/${note}/view`)
    expect(html).toContain('<h2>Title &lt;script&gt;alert(1)&lt;/script&gt;</h2>')
    expect(html).toMatch(/direct@example\.com<\/bdi> <span class="tag">reader<\/span><\/li>/)
    expect(html).toMatch(/1 role inherited from <a href="[^"]*" dir="auto">Shared</)
    expect((await open(`/drive/folders/${folder}`)).html).toMatch(/above@example\.com<\/bdi> <span class="tag">reader</)
    expect(html).toContain('<code title="A tool, by files.create">UploadFile</code>')
    expect(html).toContain('<code title="An operation of the API">permissions.create</code>')
    expect((await open(`/document/d/${note}/edit`)).status).toBe(200)
  })

  it('shows pictures, and offers everything else as a download', async () => {
    const { open, add } = openWorkspace()
    const picture = await add({ name: 'a.png' }, 'PNG', 'image/png')
    expect((await open(`/file/d/${picture}/view`)).html).toContain(`<img class="preview" src="/workspace/content/${picture}?v=`)
    const { headers, html } = await open(`/content/${picture}`)
    expect([headers.get('content-type'), headers.get('content-disposition'), html]).toEqual(['image/png', 'inline', 'PNG'])
    for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/pdf', 'text/javascript']) {
      const id = await add({ name: `a'b "${type}".x` }, '<script>alert(1)</script>', type)
      const content = await open(`/content/${id}`)
      expect([content.status, content.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
      expect(content.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''a%27b%20%22[\w%]+%22\.x$/)
      expect(content.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
      expect(content.headers.get('x-content-type-options')).toBe('nosniff')
      expect((await open(`/file/d/${id}/view`)).html).not.toMatch(/<script>alert|<img class/)
    }
  })

  it('shows uploads while they run, without their addresses', async () => {
    const { open, send, fetch } = openWorkspace()
    const begun = await send(`POST ${files}`, {
      query: { uploadType: 'resumable' },
      body: { name: 'film.mp4' },
      headers: { 'x-upload-content-length': '524288' },
    })
    const location = begun.headers.get('location') ?? ''
    const revision = async () => /data-revision="([^"]*)"/.exec((await open('')).html)?.[1]
    const before = await revision()
    const put = (from: number, to: number) =>
      fetch(location, {
        method: 'PUT',
        headers: { 'content-range': `bytes ${from}-${to - 1}/524288` },
        body: new Uint8Array(to - from),
        redirect: 'manual',
      })
    await put(0, 262_144)
    const { html } = await open('')
    expect(html).toContain('<progress value="262144" max="524288" aria-label="Upload of film.mp4"></progress>')
    expect(html).not.toContain(new URL(location).searchParams.get('upload_id') ?? 'no id')
    expect(await revision()).not.toBe(before)
    await put(262_144, 524_288)
    const after = (await open('')).html
    expect(after).not.toContain('Uploads in progress')
    expect(after).toContain('film.mp4')
  })

  it('shows large folders in pages, in one order', async () => {
    const { open, addItem, addFolder } = openWorkspace()
    const folder = await addFolder('Many')
    for (let index = 0; index < 120; index += 1) addItem({ name: `file ${index}`, parent: folder })
    const seen: (string | undefined)[] = []
    for (let path = `/drive/folders/${folder}`; path !== '';) {
      const { html } = await open(path)
      seen.push(...itemsOn(html))
      path = /href="\/workspace(\/drive\/folders\/[^"]*after=[^"]*)"/.exec(html)?.[1] ?? ''
      expect(itemsOn(html).length).toBeLessThanOrEqual(50)
    }
    expect([seen.length, new Set(seen).size]).toEqual([120, 120])
    expect((await open('')).html).toContain('>120 items<')
  })

  it('is where links in results lead while it is served; otherwise there are none', async () => {
    const { get, listen, addItem } = connected({ seed: 'empty', links: 'workspace' })
    const folder = addItem({ name: 'Folder', type: folderType })
    const document = addItem({ name: 'Document', type: 'application/vnd.google-apps.document' })
    const note = addItem({ name: 'Note' })
    const links = async (id: string) => Object.values(await get(`GET /files/${id}`, { query: { fields: 'webViewLink,webContentLink' } }))
    expect(await Promise.all([folder, document, note].map(links))).toEqual([[], [], []])
    const { url, close } = await listen()
    const served = (await Promise.all([folder, document, note].map(links))).flat()
    expect(served).toHaveLength(4)
    for (const link of served) {
      expect(String(link).startsWith(`${url}/workspace/`)).toBe(true)
      expect((await fetch(String(link))).status).toBe(200)
    }
    await close()
    expect(await links(note)).toEqual([])
  })

  it('shows the trash, and 404 for what is not there', async () => {
    const { open, add, get } = openWorkspace()
    const note = await add({ name: 'old.txt' }, 'Old')
    await get(`PATCH /files/${note}`, { body: { trashed: true } })
    expect(itemsOn((await open('/trash')).html)).toEqual([note])
    expect(itemsOn((await open('')).html)).toEqual([])
    for (const path of ['/file/d/none/view', '/drive/folders/none', '/content/none']) expect((await open(path)).status).toBe(404)
  })
})

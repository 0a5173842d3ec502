import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { notesEmulator } from './notes.ts'

/** A clock whose waits the test ends one by one. */
function steppedClock() {
  const waiting: (() => void)[] = []
  return {
    clock: {
      monotonic: () => 0,
      sleep: () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve)
        }),
    },
    step() {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

const notesPage = 'http://127.0.0.1/workspace/notes'

describe('a workspace', () => {
  it('shows stored text as text', async () => {
    const { fetch } = notesEmulator()
    const note = '<script>alert(1)</script><img src=x onerror=alert(1)> "quoted" & more'
    await fetch('http://notes.example/notes', { method: 'POST', body: note })
    const html = await (await fetch(notesPage)).text()
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot; &amp; more')
    expect(html).not.toContain('<img')
  })

  it('names the tool that made a change, if the client names it', async () => {
    const { fetch } = notesEmulator()
    const write = (headers: Record<string, string>) => fetch('http://notes.example/notes', { method: 'POST', body: 'x', headers })
    await write({})
    await write({ 'mcp-toolkits-call': 'AddNote' })
    await write({ 'mcp-toolkits-call': '<b>' })
    const html = await (await fetch('http://127.0.0.1/workspace/requests')).text()
    expect(html.match(/<code>AddNote<\/code>/g)).toHaveLength(1)
    expect(html).not.toContain('<b>')
    expect(html).toContain('<details id="body-3">')
  })

  it('tells pages of each change, of other processes too', async () => {
    const stepped = steppedClock()
    const { fetch, close } = notesEmulator(stepped)
    onTestFinished(close)
    const response = await fetch('http://127.0.0.1/workspace/updates')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const next = async () => (await reader?.read())?.value
    expect(await next()).toBe('data: 1\n\n')
    await fetch('http://notes.example/notes', { method: 'POST', body: 'x' })
    const second = next()
    stepped.step()
    expect(await second).toBe('data: 2\n\n')
    const html = await (await fetch(notesPage)).text()
    expect(html).toContain('data-revision="2"')
  })

  it('ends the streams of its pages when the emulator closes', async () => {
    const stepped = steppedClock()
    const { listen, close } = notesEmulator(stepped)
    const { url } = await listen()
    const response = await fetch(`${url}/workspace/updates`)
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const ended = reader?.read().then(
      ({ done }) => done,
      () => true,
    )
    const closed = close()
    stepped.step()
    await closed
    expect(await ended).toBe(true)
  })

  it('has a policy that runs only its own script, and cannot be framed', async () => {
    const { fetch } = notesEmulator()
    for (const path of ['notes', 'requests', 'none', 'updates', 'assets/workspace.js', 'assets/workspace.css']) {
      const { headers, body } = await fetch(`http://127.0.0.1/workspace/${path}`)
      await body?.cancel()
      const policy = headers.get('content-security-policy')
      for (const part of ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"])
        expect(policy).toContain(part)
      expect(policy).not.toContain('unsafe')
      expect([headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual(['nosniff', 'DENY'])
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('is served to this machine only, and to no page of another origin', async () => {
    const { fetch: local, listen, close } = notesEmulator()
    onTestFinished(close)
    expect((await local('http://notes.example/workspace/notes')).status).toBe(403)
    const { url } = await listen()
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        send(`${url}/workspace/notes`, { headers }, (response) => {
          resolve(response.resume().statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await status({})).toBe(200)
    const { port } = new URL(url)
    for (const host of [`attacker.example:${port}`, '127.0.0.1:1', `127.0.0.1.attacker.example:${port}`])
      expect(await status({ host })).toBe(403)
    expect(await status({ origin: 'http://attacker.example' })).toBe(403)
    const fetched = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }
    expect(await status(fetched)).toBe(403)
    expect(await status({ ...fetched, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(403)
    // Another port on this machine is the same site but a different origin.
    expect(await status({ ...fetched, 'sec-fetch-site': 'same-site' })).toBe(403)
    // A link in an email or a chat causes such a request.
    expect(await status({ ...fetched, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(200)
    expect(await status({ ...fetched, 'sec-fetch-site': 'same-origin' })).toBe(200)
  })

  it('is announced to every process that uses the data, while it is served', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'notes-'))
    const file = path.join(directory, 'notes.db')
    const [one, other] = [notesEmulator({ file }), notesEmulator({ file })]
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()])
      rmSync(directory, { recursive: true })
    })
    const where = () => Promise.all([one, other].map(async ({ fetch }) => (await fetch('http://notes.example/where')).text()))
    expect(await where()).toEqual(['nowhere', 'nowhere'])
    const partial = await one.listen({ serves: (requested) => requested === '/notes' })
    expect(await where()).toEqual(['nowhere', 'nowhere'])
    await partial.close()
    const { url, close } = await one.listen()
    const shown = `${url}/workspace`
    expect(await where()).toEqual([shown, shown])
    one.reset()
    expect(await where()).toEqual([shown, shown])
    const second = await other.listen()
    expect(await where()).toEqual([shown, `${second.url}/workspace`])
    await second.close()
    expect(await where()).toEqual([shown, shown])
    await close()
    expect(await where()).toEqual(['nowhere', 'nowhere'])
  })

  it('is no longer announced once its process is gone', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'notes-'))
    const file = path.join(directory, 'notes.db')
    const one = notesEmulator({ file })
    onTestFinished(async () => {
      await one.close()
      rmSync(directory, { recursive: true })
    })
    const { url, close } = await one.listen()
    const database = new DatabaseSync(file)
    // Left by a killed process: a row whose lock nobody holds.
    database.exec(`insert into emulator_workspaces values ('http://127.0.0.1:1/workspace', '${randomUUID()}')`)
    database.close()
    const other = notesEmulator({ file })
    onTestFinished(() => other.close())
    const where = async () => (await other.fetch('http://notes.example/where')).text()
    expect(await where()).toBe(`${url}/workspace`)
    await close()
    expect(await where()).toBe('nowhere')
  })

  it('is refused for requests forwarded by a proxy', async () => {
    const { fetch } = notesEmulator()
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect((await fetch(notesPage, { headers: { [header]: '203.0.113.9' } })).status).toBe(403)
  })
})

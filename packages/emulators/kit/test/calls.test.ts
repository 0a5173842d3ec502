import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { notesEmulator, post } from './notes.ts'

const texts = (args: string, answer: string) => () => ({ args, answer })
const pageOf = async ({ fetch }: Pick<ReturnType<typeof notesEmulator>, 'fetch'>, page: string) =>
  (await fetch(`http://127.0.0.1/workspace/${page}`)).text()

/** Submits the reset page's form as a browser would, with the given changes. */
async function sendReset(url: string, { ticket, ...headers }: { readonly ticket?: string; readonly origin?: string }) {
  const html = await (await fetch(`${url}/workspace/reset`)).text()
  const shown = /name="ticket" value="([^"]*)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ ticket: ticket ?? shown })
  return fetch(`${url}/workspace/reset`, { method: 'POST', body, redirect: 'manual', headers: { origin: url, ...headers } })
}

describe('the calls of a workspace', () => {
  it('stand with their requests, and those that sent none, too', async () => {
    const emulator = notesEmulator()
    const sendAs = (call: string) => emulator.fetch('http://notes.example/notes?color=a%20b', post('x', { 'mcp-toolkits-call': call }))
    await sendAs('AddNote one')
    await sendAs('AddNote two')
    emulator.recordCall({ id: 'one', tool: 'AddNote', outcome: 'ok', ms: 12.4, texts: texts('{"body":"x"}', '{"id":2}') })
    emulator.recordCall({
      id: 'none',
      tool: 'AddNote',
      outcome: 'not_found',
      ms: 1,
      texts: texts('{"to":"<b>"}', '{"message":"No such note"}'),
    })
    const html = await pageOf(emulator, 'calls')
    expect(html).toMatch(/not_found.*Nothing was sent to the vendor.*12 ms.*1 request.*POST/s)
    expect(html.match(/id="request-/g)).toHaveLength(1)
    expect(html).toContain('<code>a b</code>')
    expect(html).not.toContain('<b>')
    const failed = await pageOf(emulator, 'calls?outcome=failed')
    expect([failed.match(/id="call-/g)?.length, failed.includes('No such note')]).toEqual([1, true])
    expect(await pageOf(emulator, 'calls?q=NO%20SUCH')).toContain('id="call-2"')
    expect(await pageOf(emulator, 'calls?tool=Other')).not.toContain('id="call-')
  })

  it('have a maximum number and length', async () => {
    const emulator = notesEmulator()
    for (let n = 1; n <= 520; n += 1)
      emulator.recordCall({ id: `${n}`, tool: 'AddNote', outcome: 'ok', ms: 0, texts: texts('{}', n === 520 ? 'x'.repeat(50_000) : '') })
    expect(await pageOf(emulator, 'calls')).toContain('… (50000 characters in all)')
    expect(await pageOf(emulator, 'calls?before=21')).not.toContain('id="call-')
    expect(await pageOf(emulator, 'calls?before=22')).toContain('id="call-21"')
  })

  it('keep the answers and times of requests, where bodies are stored', async () => {
    const emulator = notesEmulator()
    await emulator.fetch('http://notes.example/notes', post('x'))
    await emulator.fetch('http://notes.example/missing')
    const html = await pageOf(emulator, 'requests')
    expect(html).toMatch(/<details id="answer-1"><summary>Response<\/summary><pre dir="auto">\{\s+&quot;id&quot;: 2/)
    expect(html).toMatch(/\d ms/)
    expect(await pageOf(emulator, 'requests?result=failed')).not.toContain('id="request-1"')
  })
})

describe('a reset from a page', () => {
  it('is done once, by the form of the page itself', async () => {
    const { fetch: local, listen, close, store } = notesEmulator()
    onTestFinished(close)
    const { url } = await listen()
    await local('http://notes.example/notes', post('x'))
    const refusals = [
      await sendReset(url, { origin: 'http://127.0.0.1:1' }),
      await sendReset(url, { origin: 'null' }),
      await sendReset(url, { ticket: 'guessed' }),
      await local('http://127.0.0.1/workspace/reset', { method: 'POST', body: 'ticket=x' }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 400, 403])
    expect(store.notes()).toHaveLength(2)
    const { status, headers } = await sendReset(url, {})
    expect([status, headers.get('location')]).toEqual([303, '/workspace'])
    expect(store.notes().map(({ body }) => body)).toEqual(['welcome'])
  })
})

it('workspaces of one directory link to each other while they are served', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'workspaces-'))
  const [one, other] = [notesEmulator(), notesEmulator({ service: 'Other' })]
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()])
    rmSync(directory, { recursive: true })
  })
  await one.listen({ workspaces: directory })
  expect(await pageOf(one, 'notes')).not.toContain('Other')
  const { url, close } = await other.listen({ workspaces: directory })
  expect(await pageOf(one, 'notes')).toContain(`<a class="soft" href="${url}/workspace">Other</a>`)
  await close()
  expect(await pageOf(one, 'notes')).not.toContain('Other')
})

describe('the tasks of a workspace', () => {
  const task = { id: 'one', tool: 'Notes.Import', status: 'working', message: '3 of 9 <b>', done: 3, total: 9, at: '2026-01-31T12:00:00Z' }

  it('stand with their progress, and can be cancelled from the page alone', async () => {
    const { listen, close } = notesEmulator()
    onTestFinished(close)
    const cancelled: string[] = []
    const tasks = {
      list: () => Promise.resolve([task, { ...task, id: 'two', status: 'completed' }]),
      cancel: (id: string) => Promise.resolve(void cancelled.push(id)),
    }
    const { url } = await listen({ tasks })
    const html = await (await fetch(`${url}/workspace/tasks`)).text()
    expect(html).toMatch(/Notes\.Import.*working.*3 of 9 &lt;b&gt;.*<progress value="3" max="9"/s)
    expect(html.match(/Cancel<\/button>/g)).toHaveLength(1)
    const body = new URLSearchParams({ task: 'one' })
    const cancelFrom = (origin: string) =>
      fetch(`${url}/workspace/tasks`, { method: 'POST', body, redirect: 'manual', headers: { origin } })
    expect((await cancelFrom('http://other.example')).status).toBe(403)
    expect(cancelled).toEqual([])
    expect((await cancelFrom(url)).status).toBe(303)
    expect(cancelled).toEqual(['one'])
  })

  it('have no page if no server has tasks', async () => {
    const emulator = notesEmulator()
    expect((await emulator.fetch('http://127.0.0.1/workspace/tasks')).status).toBe(404)
    expect(await pageOf(emulator, 'calls')).not.toContain('/workspace/tasks')
  })
})

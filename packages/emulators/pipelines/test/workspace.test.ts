import { describe, expect, it } from 'vitest'
import { connected, type RequestBody } from './send.ts'

/** An emulator, with functions that open a workspace page and send an event for a tool. */
function openWorkspace() {
  const emulator = connected()
  const open = async (path: string) => {
    const response = await emulator.fetch(`http://127.0.0.1/workspace${path}`)
    return { status: response.status, html: await response.text() }
  }
  const sendAs = (tool: string, endpoint: string, body: RequestBody) => emulator.send(endpoint, body, { 'mcp-toolkits-call': tool })
  return { ...emulator, open, sendAs }
}

/** The outcomes on a page, in order. */
const outcomesOn = (html: string) => [...html.matchAll(/<span class="tag (?:good|bad)">(\w+)</g)].map(([, outcome]) => outcome)

describe('the workspace of Pipelines', () => {
  it('shows each event with its outcome, its body and the tool that sent it', async () => {
    const { open, send, sendAs } = openWorkspace()
    const event = {
      userId: 'ada@example.com',
      event: 'Order <Completed>',
      messageId: 'm-1',
      properties: { total: 12345678901234567890n.toString() },
    }
    await sendAs('TrackUserEvent', 'track', event)
    await send('track', event)
    await send('track', { event: 'No person' })
    const { html } = await open('')
    expect(outcomesOn(html)).toEqual(['dropped', 'duplicate', 'accepted'])
    expect(html).toContain('Order &lt;Completed&gt;')
    expect(html).toContain('<code title="A tool, by track">TrackUserEvent</code>')
    expect(html).toContain('messageId was accepted before, as event 1')
    expect(html).toContain('href="/workspace/event/1"')
    expect((await open('/event/1')).html).toContain('<details id="body-1" open="">')
    expect((await open('/event/9')).status).toBe(404)
  })

  it('shows a body as it was written, with one member a line', async () => {
    const { open, send } = openWorkspace()
    await send('track', '{"userId":"u","event":"E","properties":{"n":12345678901234567890,"list":[],"text":"a, {b}: \\"c\\""}}')
    const text = (await open('/event/1')).html.replaceAll('&quot;', '"')
    expect(text).toContain('"properties": {\n    "n": 12345678901234567890,\n    "list": [],\n    "text": "a, {b}: \\"c\\""\n  }\n}')
  })

  it('shows the timeline of a person, with what is known about them', async () => {
    const { open, send } = openWorkspace()
    await send('identify', { userId: 'u/1 & co', traits: { plan: 'free', city: 'Oslo' } })
    await send('track', { userId: 'u/1 & co', event: 'Paid' })
    await send('track', { userId: 'another', event: 'Other' })
    await send('identify', { userId: 'u/1 & co', traits: { plan: 'team' } })
    await send('alias', { userId: 'new', previousId: 'u/1 & co' })
    const { html } = await open(`/person?id=${encodeURIComponent('u/1 & co')}`)
    expect(outcomesOn(html)).toHaveLength(4)
    expect(html).toContain('Paid')
    expect(html).not.toContain('Other')
    expect(html).toContain('<dt>plan</dt><dd dir="auto">team</dd>')
    expect(html).toContain('<dt>city</dt><dd dir="auto">Oslo</dd>')
    expect((await open('/person?id=none')).status).toBe(404)
    expect((await open('')).html).toContain('href="/workspace/person?id=u%2F1%20%26%20co"')
  })

  it('shows events in pages', async () => {
    const { open, send } = openWorkspace()
    await send('batch', { batch: Array.from({ length: 120 }, (_, index) => ({ type: 'track', userId: 'u', event: `E${index}` })) })
    const seen: string[] = []
    for (let path = '/events'; path !== '';) {
      const { html } = await open(path)
      seen.push(...[...html.matchAll(/id="event-(\d+)"/g)].map(([, id = '']) => id))
      path = /href="\/workspace(\/events\?before=\d+)"/.exec(html)?.[1] ?? ''
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => String(120 - index)))
    expect((await open('/person?id=u')).html).toMatch(/person\?id=u&amp;before=71/)
  })
})

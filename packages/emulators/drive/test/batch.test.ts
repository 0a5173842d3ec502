import { describe, expect, it } from 'vitest'
import { connected } from './connected.ts'
import { covers } from './covers.ts'

/** An emulator that answers batches. */
function batching() {
  const emulator = connected()
  const headers = { 'content-type': 'multipart/mixed; boundary="b"' }
  const toPart = (request: string, index: number) =>
    `--b\r\nContent-Type: application/http\r\nContent-ID: <item-${index}>\r\n\r\n${request}\r\n`
  const batch = async (...requests: readonly string[]) => {
    const body = `${requests.map(toPart).join('')}--b--`
    const response = await emulator.fetch('https://www.googleapis.com/batch/drive/v3', {
      method: 'POST',
      headers: { ...headers, authorization: 'Bearer drive-emulator' },
      body,
    })
    const text = await response.text()
    const boundary = /boundary=(.+)/.exec(response.headers.get('content-type') ?? '')?.[1] ?? 'none'
    return { status: response.status, text, parts: text.split(`--${boundary}`).slice(1, -1) }
  }
  return { ...emulator, batch }
}

describe('a batch', () => {
  it('answers each call in its place', covers('batches/answers'), async () => {
    const { batch, store, one } = batching()
    const json = 'Content-Type: application/json\r\n\r\n'
    const { status, parts } = await batch(
      `POST /drive/v3/files?fields=name HTTP/1.1\r\n${json}{"name":"Émile"}`,
      'GET /drive/v3/files/none',
      `DELETE /drive/v3/files/${one('Launch plan').id} HTTP/1.1\r\n`,
      'GET https://www.googleapis.com/drive/v3/about?fields=kind\r\nAuthorization: Bearer wrong\r\n\r\n',
    )
    expect(status).toBe(200)
    expect(parts.map((part) => [/Content-ID: (.+)\r/.exec(part)?.[1], /HTTP\/1\.1 (.+)\r/.exec(part)?.[1]])).toEqual([
      ['<response-item-0>', '200 OK'],
      ['<response-item-1>', '404 Not Found'],
      ['<response-item-2>', '204 No Content'],
      ['<response-item-3>', '401 Unauthorized'],
    ])
    expect(parts[0]).toContain('\r\n\r\n{"name":"Émile"}')
    expect([store.named('Émile').length, store.named('Launch plan').length]).toEqual([1, 0])
  })

  it('uploads no content, and says where content is', covers('batches/media', 'batches/downloads'), async () => {
    const { batch, one, fetch } = batching()
    for (const call of ['POST /upload/drive/v3/files?uploadType=media', 'GET /token'])
      expect([call, (await batch(call)).parts]).toEqual([call, [expect.stringContaining('HTTP/1.1 400 Bad Request')]])
    const { parts } = await batch(
      `GET /drive/v3/files/${one('Colours.txt').id}?alt=media&supportsAllDrives=true`,
      'GET /drive/v3/files/none?alt=media',
    )
    expect(parts[0]).toContain('HTTP/1.1 302 Found')
    const location = /location: (\S+)/.exec(parts[0] ?? '')?.[1] ?? ''
    const content = await fetch(location, { headers: { authorization: 'Bearer drive-emulator' } })
    expect((await content.text()).length).toBe(22)
    expect(parts[1]).toContain('HTTP/1.1 404 Not Found')
  })

  it('sends to content only what reads it', covers('batches/downloads'), async () => {
    const { batch, store, one } = batching()
    const { parts } = await batch(`DELETE /drive/v3/files/${one('Launch plan').id}?alt=media`)
    expect(parts).toEqual([expect.stringContaining('HTTP/1.1 204 No Content')])
    expect(store.named('Launch plan')).toEqual([])
  })

  it('refuses a part that cannot be read in its place', covers('batches/refusals'), async () => {
    const { batch } = batching()
    const bad = ['TRACE /drive/v3/files', 'GET /drive/v3/about\r\nX-Extra: a\0b', 'nonsense', '']
    const { status, parts } = await batch('GET /drive/v3/drives', ...bad, 'GET /drive/v3/drives')
    expect([status, parts.map((part) => [/<response-item-\d>/.exec(part)?.[0], /HTTP\/1\.1 (\d+)/.exec(part)?.[1]])]).toEqual([
      200,
      ['200', '400', '400', '400', '400', '200'].map((code, index) => [`<response-item-${index}>`, code]),
    ])
    for (const part of parts.slice(1, 5)) expect(part).toContain('"reason":"badRequest"')
  })

  it('refuses a part whose own headers cannot be read, without its id', covers('batches/refusals'), async () => {
    const { send } = batching()
    const good = 'Content-Type: application/http\r\nContent-ID: good\r\n\r\nGET /drive/v3/drives\r\n'
    const body = `--b\r\nContent-ID: a\0b\r\n\r\nGET /drive/v3/drives\r\n--b\r\n${good}--b--`
    const response = await send('POST /other/../batch', { body, headers: { 'content-type': 'multipart/mixed; boundary=b' } })
    const text = await response.text()
    expect([response.status, text.match(/HTTP\/1\.1 \d+|Content-ID: .+/g)]).toEqual([
      200,
      ['HTTP/1.1 400', 'Content-ID: response-good', 'HTTP/1.1 200'],
    ])
  })

  it('refuses what is not a batch', covers('batches/answers', 'batches/refusals'), async () => {
    const { batch, refusal } = batching()
    expect((await batch(...Array.from({ length: 100 }, () => 'GET /drive/v3/drives'))).parts).toHaveLength(100)
    const { status, text } = await batch(...Array.from({ length: 101 }, () => 'GET /drive/v3/drives'))
    expect([status, text]).toEqual([400, expect.stringContaining('The batch has 101 calls. A batch has at most 100.')])
    expect(await refusal('POST /other/../batch', { body: 'x', headers: { 'content-type': 'text/plain' } })).toEqual([400, 'badRequest'])
  })
})

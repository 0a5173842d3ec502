import { describe, expect, it } from 'vitest'
import {
  canonicalSpelling,
  Forbidden,
  Internal,
  Message,
  type NextStep,
  NotFound,
  RateLimited,
  sentence,
  TooLarge,
} from '@mcp-toolkits/core/errors'
import { toAnswer, toFailure, type Answer } from './answer.ts'
import { toToolResult } from './mcp-result.ts'
import { listing } from '../listing/listing.ts'
import { listedTool } from '../../../test/listed-tool.ts'

const definition = { prefix: 'Tracker', listedTools: [listedTool('CreateIssue'), listedTool('ListTeams')] }
const spelling = (tools?: readonly string[]) => ({
  ...canonicalSpelling,
  tool: listing(definition, { readOnly: false, toolNames: 'safe', ...(tools && { tools }) }).spell,
})
const all = spelling()
const some = spelling(['CreateIssue'])

/** The text of the answer's only block. */
function textOf(answer: Answer): string {
  const { content } = toToolResult(answer, false)
  const [block] = content
  if (content.length !== 1 || block?.type !== 'text') throw new Error('There is not one text.')
  return block.text
}

describe('an error', () => {
  const full = new NotFound(Message.of('No team matches "Enginering".', sentence`${{ tool: 'Tracker.ListTeams' }} lists them.`), {
    suggestions: [{ value: 'Engineering', id: 't1', confidence: 0.95 }],
    next: { tool: 'Tracker.CreateIssue', arguments: { team: 'Engineering' } },
  })

  it('is one text block with its JSON, in a fixed order, with tools as advertised', () => {
    const answer = toFailure(full, all)
    expect(toToolResult(answer, false)).toEqual({ isError: true, content: [{ type: 'text', text: textOf(answer) }] })
    expect(textOf(answer)).toBe(
      '{"error":{"code":"not_found","message":"No team matches \\"Enginering\\". Tracker_ListTeams lists them.","retryable":false,' +
        '"suggestions":[{"value":"Engineering","id":"t1","confidence":0.95}],' +
        '"next":{"tool":"Tracker_CreateIssue","arguments":{"team":"Engineering"}}}}',
    )
  })

  it('repeats a text of the vendor that looks like a mention as it is', () => {
    const error = new NotFound(sentence`No issue is called ${'"Try Tracker.ListTeams. Or --read-only."'}.`)
    for (const spelling of [all, some])
      expect(toFailure(error, spelling)).toMatchObject({
        error: { message: 'No issue is called "Try Tracker.ListTeams. Or --read-only.".' },
      })
  })

  it('mentions no hidden tool', () => {
    expect(toFailure(full, some)).toMatchObject({
      error: { message: 'No team matches "Enginering".', next: { tool: 'Tracker_CreateIssue' } },
    })
    const step = (next: NextStep) => toFailure(new Forbidden('No.', { next }), some)
    const without = { ok: false, error: { code: 'forbidden', message: 'No.', retryable: false } }
    expect(step({ tool: 'Tracker.ListTeams' })).toEqual(without)
    expect(step({ tool: 'Tracker.ListTeams', arguments: { limit: 5 } })).toEqual(without)
    expect(step({ tool: 'Tracker.Unknown' })).toEqual(without)
  })

  it.each([
    [
      { tool: 'Tracker.CreateIssue', arguments: { title: 'T' } },
      { tool: 'Tracker_CreateIssue', arguments: { title: 'T' } },
    ],
    [{ change: { cursor: null } }, { change: { cursor: null } }],
    [{ command: 'issue-tracker-mcp login' }, { command: 'issue-tracker-mcp login' }],
  ])('keeps the next step %j', (next, shown) => {
    expect(toFailure(new Forbidden('No.', { next }), some)).toEqual({
      ok: false,
      error: { code: 'forbidden', message: 'No.', retryable: false, next: shown },
    })
  })

  it('says how long to wait and what the vendor said', () => {
    const error = new RateLimited('Wait.', { retryAfterSeconds: 3, httpStatus: 429, errors: ['slow down'] })
    expect(toFailure(error, all)).toMatchObject({
      error: { retryable: true, retry_after_seconds: 3, http_status: 429, errors: ['slow down'] },
    })
  })

  it.each([new Error('canary'), new TypeError('canary', { cause: 'canary' }), 'canary', { message: 'canary' }, undefined, null])(
    'of an unknown kind becomes internal, without its text (%o)',
    (thrown) => {
      const answer = toFailure(thrown, all)
      expect(answer).toMatchObject({ ok: false, error: { code: 'internal', retryable: false } })
      expect(JSON.stringify(answer)).not.toContain('canary')
    },
  )

  it('that the server throws as internal keeps its text', () => {
    expect(toFailure(new Internal('X is listed but not there.'), all)).toMatchObject({ error: { message: 'X is listed but not there.' } })
  })
})

describe('a result', () => {
  it('is an object and the same JSON as text, without indentation', () => {
    const data = { issue: { title: 'ä', labels: ['a', 'b'] }, empty: null }
    const answer = toAnswer({ data, isWrite: true }, false)
    expect(toToolResult(answer, false)).toEqual({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data })
  })

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])('with embedded %s and a write %s says that nothing left this machine: %s', (embedded, wrote, marked) => {
    const answer = toAnswer({ data: { a: 1 }, isWrite: wrote }, embedded)
    const data = { a: 1, ...(marked && { upstream: 'embedded: nothing left this machine' }) }
    expect(answer).toMatchObject({ ok: true, data })
    expect(toToolResult(answer, embedded)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
      ...(embedded && { _meta: { 'mcp-toolkits/upstream': 'embedded' } }),
    })
  })

  it('of an error on the embedded default is marked too', () => {
    expect(toToolResult(toFailure(new Forbidden('No.'), all), true)).toMatchObject({
      isError: true,
      _meta: { 'mcp-toolkits/upstream': 'embedded' },
    })
  })

  const frame = JSON.stringify({ text: '' }).length
  it('of up to 80,000 bytes is whole; a larger one is shortened in both parts', () => {
    const fits = { text: 'x'.repeat(80_000 - frame) }
    expect(textOf(toAnswer({ data: fits, isWrite: false }, false))).toBe(JSON.stringify(fits))
    const over = toAnswer({ data: { text: `${fits.text}x` }, isWrite: false, narrowing: 'Name a folder.' }, false)
    expect(over).toMatchObject({ data: { text: `${fits.text}x` } })
    const { structuredContent } = toToolResult(over, false)
    expect(structuredContent).toEqual({
      notices: ['This result was shortened to 80000 bytes: 1 text field cut short (see truncated and total_characters). Name a folder.'],
      text: 'x'.repeat(60_000),
      truncated: true,
      total_characters: 80_001 - frame,
    })
    expect(textOf(over)).toBe(JSON.stringify(structuredContent))
  })

  it('has its content once, as a resource for the person', () => {
    const content = { uri: 'shelf:///a', mimeType: 'text/plain', bytes: Buffer.from('..content..').subarray(2, 9) }
    const answer = toAnswer({ data: { a: 1 }, content, isWrite: false }, true)
    expect(toToolResult(answer, true)).toEqual({
      content: [
        { type: 'text', text: '{"a":1}' },
        {
          type: 'resource',
          resource: { uri: 'shelf:///a', mimeType: 'text/plain', blob: btoa('content') },
          annotations: { audience: ['user'] },
        },
      ],
      structuredContent: { a: 1 },
      _meta: { 'mcp-toolkits/upstream': 'embedded' },
    })
  })

  it('counts its content as it is sent: 5 MiB fit, 6 MiB do not', () => {
    const content = (bytes: number) => ({ uri: 'shelf:///a', mimeType: 'text/plain', bytes: new Uint8Array(bytes) })
    expect(toAnswer({ data: {}, content: content(5 * 1024 * 1024), isWrite: false }, false)).toMatchObject({ ok: true })
    expect(() => toAnswer({ data: {}, content: content(6 * 1024 * 1024), isWrite: false }, false)).toThrow(TooLarge)
  })

  it('may have 8 MiB at most, in bytes and with its mark', () => {
    const fits = { text: 'x'.repeat(8 * 1024 * 1024 - frame) }
    expect(toAnswer({ data: fits, isWrite: false }, false)).toMatchObject({ ok: true, data: fits })
    for (const [data, wrote] of [
      [{ text: `${fits.text}x` }, false],
      [fits, true],
      [{ text: 'ä'.repeat(4 * 1024 * 1024) }, false],
      [{ text: '\u202E'.repeat(8 * 1024 * 1024) }, false],
      [{ rows: Array.from({ length: 3 }, () => '\u202Ea'.repeat(400_000)) }, false],
    ] as const) {
      expect(() => toAnswer({ data, isWrite: wrote }, true)).toThrow(TooLarge)
      expect(() => toAnswer({ data, isWrite: wrote }, true)).toThrow(/^The result is larger than the limit of 8388608 bytes\./)
    }
  })
})

describe('a notice of a call', () => {
  const noticed = (data: Record<string, unknown>, ...notices: (string | Message)[]) =>
    toAnswer({ data, isWrite: false, notices }, false, undefined, {
      ...canonicalSpelling,
      tool: (name) => (name === 'A.List' ? 'A_List' : undefined),
    }).data

  it('is in the result, first, once and in the order in which it was given', () => {
    const data = noticed({ found: 1 }, 'Read.', 'Skipped.', 'Read.')
    expect(JSON.stringify(data)).toBe('{"notices":["Read.","Skipped."],"found":1}')
  })

  it("comes before the tool's own ones, of which it repeats none", () => {
    expect(noticed({ found: 1, notices: ['Skipped.', 'Cut.'] }, 'Read.', 'Skipped.')).toEqual({
      notices: ['Read.', 'Skipped.', 'Cut.'],
      found: 1,
    })
  })

  it('leaves a result unchanged if there is none', () => {
    expect(noticed({ found: 1, notices: ['Cut.'] })).toEqual({ found: 1, notices: ['Cut.'] })
  })

  it('spells the tools that it mentions, and is left out when one is not offered', () => {
    expect(noticed({}, sentence`See ${{ tool: 'A.List' }}.`, sentence`See ${{ tool: 'A.Hidden' }}.`)).toEqual({ notices: ['See A_List.'] })
  })
})

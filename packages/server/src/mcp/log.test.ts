import { describe, expect, it } from 'vitest'
import { jsonLog, errorFields, type LogLevel } from './log.ts'

function written(level: LogLevel, write: (log: ReturnType<typeof jsonLog>) => void): unknown[] {
  const lines: string[] = []
  write(jsonLog(level, (line) => lines.push(line)))
  for (const line of lines) expect(line).toMatch(/^[^\n]*\n$/)
  return lines.map((line): unknown => JSON.parse(line))
}

describe('a log', () => {
  it.each([
    ['silent', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('at level %s writes %j', (level, expected) => {
    const lines = written(level, (log) => {
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each](each)
    })
    expect(lines).toHaveLength(expected.length)
    for (const each of expected) expect(lines).toContainEqual(expect.objectContaining({ level: each, message: each }))
  })

  it('has lines of limited length', () => {
    const [line] = written('info', (log) => {
      log.info('x'.repeat(100_000), { text: 'y'.repeat(100_000), list: Array.from({ length: 100_000 }, () => 1) })
    })
    expect(JSON.stringify(line).length).toBeLessThan(5_000)
  })

  it('is one JSON object per line, with time, level, message and fields', () => {
    const [line] = written('info', (log) => {
      log.info('call', { tool: 'WhoAmI', outcome: 'ok', ms: 3, text: 'two\nlines' })
    })
    expect(line).toMatchObject({ level: 'info', message: 'call', tool: 'WhoAmI', outcome: 'ok', ms: 3, text: 'two\nlines' })
    expect(line).toHaveProperty('time')
    expect(Object.keys(line ?? {})).toEqual(['time', 'level', 'message', 'tool', 'outcome', 'ms', 'text'])
  })

  it.each([
    ['Basic a2V5OmNhbmFyeQ==', 'Basic [secret]'],
    ['Bearer canary.canary-canary_~+/==', 'Bearer [secret]'],
    ['authorization: bearer canary-1', 'authorization: bearer [secret]'],
    ['BEARER   canary1', 'BEARER [secret]'],
    ['{"authorization":"Basic Y2FuYXJ5"}', '{"authorization":"Basic [secret]"}'],
    ['Bearer canary1, Basic canary2', 'Bearer [secret], Basic [secret]'],
    ['Bearer of news', 'Bearer of news'],
  ])('replaces credentials anywhere (%j)', (text, shown) => {
    const [line] = written('info', (log) => {
      log.info(text, { nested: { list: [text] } })
    })
    expect(line).toMatchObject({ message: shown, nested: { list: [shown] } })
    expect(JSON.stringify(line)).not.toMatch(/canary|Y2FuYXJ5/)
  })
})

describe('errorFields', () => {
  it('has its name and stack without its message', () => {
    const { thrown, stack } = errorFields(new TypeError('canary'))
    expect(thrown).toBe('TypeError')
    expect(JSON.stringify(stack)).toContain('log.test.ts')
    expect(JSON.stringify(stack)).not.toContain('canary')
  })

  it.each(['canary\n    at canary', 'a\n    at canary (file:///canary.ts:1:2)\nb', '\n    at canary (x:1:1)', 'Error'])(
    'does not take a line of the message (%j) for a place',
    (message) => {
      const found = errorFields(new Error(message))
      expect(JSON.stringify(found)).not.toContain('canary')
      expect(JSON.stringify(found)).toContain('log.test.ts')
    },
  )

  it('leaves out the earlier message of an error whose message was changed', () => {
    const error = new Error('canary\n    at canary (x:1:1)')
    error.message = 'other'
    expect(JSON.stringify(errorFields(error))).not.toContain('canary')
  })

  it('has the stack of an error without a message', () => {
    expect(JSON.stringify(errorFields(new Error()))).toContain('log.test.ts')
  })

  it.each([
    ['canary', 'string'],
    [undefined, 'undefined'],
    [{ message: 'canary' }, 'object'],
  ])('has only the type of any other value (%j)', (thrown, type) => {
    expect(errorFields(thrown)).toEqual({ thrown: type })
  })
})

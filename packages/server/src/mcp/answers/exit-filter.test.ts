import fc from 'fast-check'
import { expect, it } from 'vitest'
import { member, parseJson } from '@mcp-toolkits/core/base'
import { Ambiguous, canonicalSpelling, InvalidInput, type NextStep } from '@mcp-toolkits/core/errors'
import { Secret } from '@mcp-toolkits/core/upstream'
import { runs } from '../../../../testing/src/runs.ts'
import { toAnswer, toFailure } from './answer.ts'
import { toToolResult } from './mcp-result.ts'
import { filteredJson, filterText } from './exit-filter.ts'
import { jsonLog } from '../log.ts'

const secret = new Secret('canary-exit-filter-0123456789').reveal()
const hidden = `a\u202E\u{E0041}${secret}`
const shown = 'a\\u{202E}\\u{E0041}[secret]'

/** Characters that must not reach any reader, wherever they are. */
const forbidden = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u00AD\u2028\u2029\u2060-\u2064\uFEFF]|canary-exit/u

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(hidden, secret, 'plain', '\u009B', '👩‍👧', 'می‌خواهم'))
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.constant(null), fc.array(tie('any')), fc.dictionary(text, tie('any'))),
})).any

it('lets no forbidden character and no secret out of any result, and filters a result only once', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value), (data) => {
      const answer = toAnswer({ data, isWrite: false }, false)
      const { content, structuredContent } = toToolResult(answer, false)
      // Decoded, because JSON adds escapes.
      const texts: string[] = []
      JSON.stringify({ content, structuredContent }, (name, each: unknown) => {
        texts.push(name, ...(typeof each === 'string' ? [each] : []))
        return each
      })
      for (const each of texts) expect(each.replaceAll('\r\n', '\n')).not.toMatch(forbidden)
      expect(toAnswer({ data: answer.data, isWrite: false }, false)).toEqual(answer)
    }),
    { numRuns: runs(2_000) },
  )
})

it('prints JSON that a program parses back unchanged, without secrets', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value), (data) => {
      const json = filteredJson(data, 2)
      expect(json.replaceAll('\r\n', '\n')).not.toMatch(forbidden)
      if (!JSON.stringify(data).includes(secret)) expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)))
    }),
    { numRuns: runs(2_000) },
  )
})

it('changes the names of a file, but neither its bytes nor what is compared with arguments', () => {
  const bytes = Buffer.from(hidden)
  const answer = toAnswer({ data: {}, isWrite: false, content: { uri: 'file:///1', mimeType: 'text/plain', bytes } }, false)
  expect(toToolResult(answer, false).content[1]).toMatchObject({ resource: { blob: bytes.toString('base64') } })
  const named = { uri: `drive:///1/${encodeURIComponent(hidden)}`, mimeType: hidden, bytes }
  expect(toAnswer({ data: {}, isWrite: false, content: named }, false)).toMatchObject({
    content: { uri: `drive:///1/${encodeURIComponent(hidden.replace(secret, ''))}[secret]`, mimeType: shown, bytes },
  })
  const choice = { parameter: 'team', reference: hidden, kind: 'team', options: [{ id: hidden, label: hidden }] }
  const failure = toFailure(new Ambiguous(hidden, { choices: [choice] }), canonicalSpelling)
  expect(failure).toMatchObject({ error: { message: shown }, choices: [{ reference: hidden, options: [{ id: hidden, label: shown }] }] })
})

it('shows what is to be passed back so that it means the same, and leaves out what holds a secret', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value), value, (args, title) => {
      const change = { title, key: [secret] }
      const shownAs = (step: NextStep) => {
        const [block] = toToolResult(toFailure(new InvalidInput(hidden, { next: step }), canonicalSpelling), false).content
        const json = block?.type === 'text' ? block.text : ''
        expect(json).not.toMatch(forbidden)
        return member(member(parseJson(json), 'error'), 'next')
      }
      const next = shownAs({ tool: 'A.B', arguments: args, command: hidden })
      const unlessSecret = (each: unknown) => (JSON.stringify(each).includes(secret) ? undefined : parseJson(JSON.stringify(each)))
      expect(next).toMatchObject({ tool: 'A.B', command: shown })
      expect(member(next, 'arguments')).toEqual(unlessSecret(args))
      expect(member(shownAs({ change }), 'change')).toEqual(unlessSecret({ title }))
    }),
    { numRuns: runs(500) },
  )
  const onlySecret = new InvalidInput('x', { next: { change: { key: secret } } })
  expect(toFailure(onlySecret, canonicalSpelling)).not.toHaveProperty('error.next')
})

it('writes a line of the log that is valid JSON and safe for a terminal', () => {
  const lines: string[] = []
  jsonLog('info', (line) => lines.push(line)).info(hidden, { [hidden]: [hidden] })
  expect(lines.join('')).not.toMatch(forbidden)
  expect(JSON.parse(lines.join(''))).toMatchObject({ message: 'a\u202E\u{E0041}[secret]' })
})

it('leaves text that needs nothing as it is', () => {
  expect(filterText('Zoë 👩‍👧 می‌خواهم\n\tok')).toBe('Zoë 👩‍👧 می‌خواهم\n\tok')
})

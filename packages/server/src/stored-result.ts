import { Internal } from '@mcp-toolkits/core'
import { maxResultBytes } from '@mcp-toolkits/core/idempotency'
import { isObject, mapTexts, member, parseJson, stringMember } from '@mcp-toolkits/core/json'
import { truncate } from '@mcp-toolkits/core/text'
import type { Success } from './answer.ts'
import type { ExitFilter } from './exit-filter.ts'

/** How much of each text, in characters, and of each list is stored of a larger result: as much as fits. Ids are shorter. */
const shorterForms = [
  { maxLength: 8_000, maxItems: 1_000 },
  { maxLength: 1_000, maxItems: 200 },
  { maxLength: 200, maxItems: 50 },
  { maxLength: 64, maxItems: 10 },
] as const

const shortenedNotice =
  'This is the result of an earlier call with the same idempotency key, shortened to 64 KB: long texts and lists are cut. Read what the call wrote by its id to see all of it.'

/** A result as it is stored for repeats with the same key. Of one that is too large, long texts and lists are cut and content is left out. */
export function storedResult({ data, content }: Success): string {
  const file = content && { ...content, bytes: Buffer.from(content.bytes).toString('base64') }
  const whole = JSON.stringify({ data, content: file })
  if (fits(whole)) return whole
  const shorter = shorterForms.map((form) => JSON.stringify({ data: shorten(data, form), isShortened: true }))
  return shorter.find(fits) ?? JSON.stringify({ data: {}, isShortened: true })
}

/** The answer to a repeat. It is filtered here, because the first answer may have gone to a program and this one to a model. */
export function readResult(stored: string, filter: ExitFilter): Success {
  const parsed = parseJson(stored)
  const data = member(parsed, 'data')
  if (!isObject(data)) throw new Internal('The stored result of this idempotency key cannot be read.')
  return {
    ok: true,
    data: mapTexts(data, filter),
    ...readContent(member(parsed, 'content'), filter),
    replay: member(parsed, 'isShortened') === true ? { notice: shortenedNotice } : {},
  }
}

function readContent(content: unknown, filter: ExitFilter): Pick<Success, 'content'> {
  const [uri, mimeType, bytes = ''] = ['uri', 'mimeType', 'bytes'].map((name) => stringMember(content, name))
  if (uri === undefined || mimeType === undefined) return {}
  return { content: { uri: filter(uri), mimeType: filter(mimeType), bytes: Buffer.from(bytes, 'base64') } }
}

function shorten(value: unknown, form: (typeof shorterForms)[number]): unknown {
  if (typeof value === 'string') return truncate(value, form.maxLength)
  if (Array.isArray(value)) return value.slice(0, form.maxItems).map((item) => shorten(item, form))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each, form)]))
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= maxResultBytes
}

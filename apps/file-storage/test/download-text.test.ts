import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { put } from './contents.ts'
import { storage, type Storage } from './storage.ts'

const Result = z.object({ notices: z.array(z.string()).optional(), text: z.string().optional(), next_start_byte: z.number().nullish() })

/** The part of a download that a model reads. In any case, the result contains the bytes once, for a program. */
async function read(server: Storage, { id, bytes, ...args }: { id: string; bytes: Uint8Array; start_byte?: number; chunk_size?: number }) {
  const tool = args.start_byte === undefined ? 'FileStorage.DownloadFile' : 'FileStorage.DownloadFileChunk'
  const { content, structuredContent } = await server.result(tool, { file_path_or_id: id, ...args })
  const [text, resource, ...more] = content
  expect([text, more]).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }, []])
  const start = args.start_byte ?? 0
  const blob = Buffer.from(bytes.subarray(start, start + (args.chunk_size ?? bytes.byteLength))).toString('base64')
  expect(resource).toMatchObject({ type: 'resource', resource: { blob }, annotations: { audience: ['user'] } })
  return Result.parse(structuredContent)
}

const csv = 'name,age\nÄnne,7\n'

test.for([
  ['people.csv', 'text/csv', Buffer.from(csv)],
  ['people.json', 'application/json', Buffer.from(csv)],
  ['people', 'application/octet-stream', Buffer.from(csv)],
  ['people.svg', 'image/svg+xml', Buffer.from(csv)],
  ['people.txt', 'text/plain', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv, 'utf16le')])],
] as const)('%s (%s) can be read in both parts of the result', async ([name, type, bytes]) => {
  await using server = await storage()
  const id = await put(server, name, bytes, type)
  expect(await read(server, { id, bytes })).toEqual({ text: csv })
})

test.for([
  ['a.png', 'image/png', Buffer.from(csv)],
  ['a.pdf', 'application/pdf', Buffer.from('%PDF-1.4')],
  ['a.txt', 'text/plain', Buffer.from([0xe4, 0x6e, 0x6e, 0x65])],
  ['a.bin', 'application/octet-stream', Buffer.from('a\0b')],
] as const)('%s (%s) says that its content is attached and cannot be read', async ([name, type, bytes]) => {
  await using server = await storage()
  const id = await put(server, name, bytes, type)
  expect(await read(server, { id, bytes })).toEqual({
    notices: [
      'It is attached as base64. If a host drops attachments, the call takes _meta["mcp-toolkits/content"]: "structured". --content sets that for all calls.',
      `The content (${type}, ${bytes.byteLength} bytes) is not text. It is for the person or a program; you cannot read it here.`,
    ],
  })
})

test('a notice says how much of a long text is shown, and chunks continue from there', async () => {
  await using server = await storage()
  const text = Array.from({ length: 9_000 }, (_, line) => `line ${line} ä€😀`).join('\n')
  const bytes = Buffer.from(text)
  const id = await put(server, 'long.log', bytes, 'text/plain')
  const { text: first = '', notices } = await read(server, { id, bytes })
  expect(text.startsWith(first)).toBe(true)
  const [has, total] = [first, text].map((each) => Array.from(each).length)
  expect(notices).toEqual([
    `text has the first ${has} of ${total} characters. To read on, use FileStorage_DownloadFileChunk with start_byte ${Buffer.byteLength(first)} and a chunk_size of 40000.`,
  ])
  const chunks: string[] = []
  for (let start: number | null | undefined = 0; typeof start === 'number';) {
    const chunk: z.output<typeof Result> = await read(server, { id, bytes, start_byte: start, chunk_size: 40_000 })
    expect(chunk.notices).toBeUndefined()
    chunks.push(chunk.text ?? '')
    start = chunk.next_start_byte
  }
  expect(chunks.join('')).toBe(text)
})

test.for(['"\t'.repeat(60_000), '字'.repeat(60_000), 'plain '.repeat(20_000)])(
  '%.3s… is read in full by continuing where the notice says',
  async (text) => {
    await using server = await storage()
    const bytes = Buffer.from(text)
    const id = await put(server, 'long.txt', bytes, 'text/plain')
    const pieces: string[] = []
    for (let start = 0, calls = 0; start < bytes.byteLength && calls < 20; calls += 1) {
      const chunk = await read(server, { id, bytes, start_byte: start, chunk_size: 39_999 })
      pieces.push(chunk.text ?? '')
      const [, said] = /start_byte (\d+)/.exec(chunk.notices?.join() ?? '') ?? []
      start = Number(said ?? chunk.next_start_byte ?? bytes.byteLength)
    }
    expect(pieces.join('')).toBe(text)
  },
)

test('any bytes are shown as the text that they contain, or not as text', async () => {
  await using server = await storage()
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
        fc.uint8Array().map((all) => Buffer.from(all)),
      ),
      async (bytes) => {
        const id = await put(server, 'any', bytes)
        const { text } = await read(server, { id, bytes })
        if (text !== undefined && !/\\u\{|\uFEFF/.test(text) && bytes[0] !== 0xef && bytes[0] !== 0xff)
          expect(Buffer.from(text)).toEqual(bytes)
      },
    ),
    { numRuns: 40 },
  )
})

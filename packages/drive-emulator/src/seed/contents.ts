import { createHash, hash } from 'node:crypto'
import { drawMap, mapSize, writePdf } from './drawings.ts'

/** The length of the seed's large file: 12 MB. */
export const largeSize = 12_000_000

/** Deterministic content that does not compress. */
export function noise(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  const block = Buffer.concat(Array.from({ length: 128 }, (_, index) => createHash('sha512').update(`${name} ${index}`).digest()))
  for (let at = 0; at < size; at += block.length) {
    block.copy(bytes, at)
    // Each block starts with its offset, so swapped blocks are noticed.
    if (at + 4 <= size) bytes.writeUInt32BE(at, at)
  }
  return bytes
}

/** A picture of one pixel. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A document of one empty page. */
const pdf = (title: string) =>
  Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n` +
      `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n4 0 obj<</Title(${title})>>endobj\n` +
      `trailer<</Root 1 0 R/Info 4 0 R>>\n%%EOF\n`,
  )

/** Generates the content of a seed key: `text-…` holds text, other keys name a generator. */
export function generateContent(key: string): Buffer | undefined {
  const [, kind, rest = ''] = /^([a-z]+)-(.*)$/s.exec(key) ?? []
  const made = {
    text: () => Buffer.from(rest, 'base64url'),
    noise: () => noise(rest, largeSize),
    bulk: () => Buffer.from(`Item ${rest} of many.\n`),
    sized: () => noise(rest, Number.parseInt(rest)),
    map: () => drawMap(Buffer.from(rest, 'base64url').toString()),
    page: () => writePdf(Buffer.from(rest, 'base64url').toString()),
  }
  const files = { png: () => png, gif: () => gif, pdf: () => pdf(rest), empty: () => Buffer.alloc(0) }
  const all: Readonly<Record<string, () => Buffer>> = { ...made, ...files }
  return kind === undefined ? undefined : all[kind]?.()
}

/** Size and MD5 of the content of a key. */
export function describeContent(key: string): { content: string; size: number; md5: string } {
  if (key === `noise-${large.name}`) return { content: key, size: largeSize, md5: large.md5 }
  const known = companyFiles.get(key)
  if (known !== undefined) return { content: key, ...known }
  const bytes = generateContent(key) ?? Buffer.alloc(0)
  return { content: key, size: bytes.length, md5: hash('md5', bytes) }
}

/** The large file, with a precomputed MD5. */
export const large = { name: 'recording', md5: 'a85311cb8fd59058399eced7dff7dea0' } as const

/** A text as a part of a key, which may become the name of a file. */
export const toKey = (text: string): string => Buffer.from(text).toString('base64url')

/** Size and MD5 of the files of the company that take long to generate. They are generated when they are first read. */
const companyFiles = new Map([
  [`map-${toKey('Whiteboard')}`, { size: mapSize, md5: '84dff05fad7b2bf82f03955b9a3906ed' }],
  [`map-${toKey('Lyngen')}`, { size: mapSize, md5: '8054558f84871c7d663db37da3f8dd14' }],
  [`map-${toKey('Hut')}`, { size: mapSize, md5: 'f68104668a4441803baf02fa4814395f' }],
  [`sized-12000000-${toKey('Prototype on the phone.mp4')}`, { size: 12_000_000, md5: 'f5c2a2cf974ae9ea0e2cb714a8be2ded' }],
])

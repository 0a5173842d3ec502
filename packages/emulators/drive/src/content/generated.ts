import { createHash, hash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** The length of every map, in bytes. */
const mapSize = 66_886

/** The length of the large file in earlier seeds: 12 MB. */
const largeSize = 12_000_000

/** Deterministic, incompressible content. */
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

/** A one-pixel picture. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** A document with one empty page. */
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

/** Size and MD5 of a key's content. */
export function describeContent(key: string): { content: string; size: number; md5: string } {
  const known = largeFiles.get(key)
  if (known !== undefined) return { content: key, ...known }
  const bytes = generateContent(key) ?? Buffer.alloc(0)
  return { content: key, size: bytes.length, md5: hash('md5', bytes) }
}

/** Text as part of a key, which may become a file name. */
export const toKey = (text: string): string => Buffer.from(text).toString('base64url')

/** Size and MD5 of seed files that take long to generate. They are generated on first read. */
const largeFiles = new Map([
  [`map-${toKey('Whiteboard')}`, { size: mapSize, md5: '84dff05fad7b2bf82f03955b9a3906ed' }],
  [`map-${toKey('Lyngen')}`, { size: mapSize, md5: '8054558f84871c7d663db37da3f8dd14' }],
  [`map-${toKey('Hut')}`, { size: mapSize, md5: 'f68104668a4441803baf02fa4814395f' }],
  [`sized-12000000-${toKey('Prototype on the phone.mp4')}`, { size: 12_000_000, md5: 'f5c2a2cf974ae9ea0e2cb714a8be2ded' }],
  [`sized-12000000-${toKey('Launch rehearsal.mp4')}`, { size: 12_000_000, md5: 'd6eb56773d8486cb1d27be2fc0a7f007' }],
])

const [width, height, cell] = [320, 208, 32] as const

/** Colours from valley to summit, and of contour lines. */
const colours = '3f7d4e 5f9a5b 8fb56b c2c489 c9ad7f b08d6a 9c8478 b9b2ad dcdad7 ffffff 6b4f3a'.split(' ')
const lineColour = colours.length - 1

/** A map of mountains as a PNG, always the same for a name. Stored without compression, so that its bytes never change. */
function drawMap(name: string): Buffer {
  const heights = heightsOf(name)
  const level = (x: number, y: number) => Math.floor((heights(x, y) * lineColour) / 256)
  const rows: number[] = []
  for (let y = 0; y < height; y += 1) {
    rows.push(0)
    for (let x = 0; x < width; x += 1) {
      const here = level(x, y)
      const isLine = here !== level(x + 1, y) || here !== level(x, y + 1)
      rows.push(isLine ? lineColour : here)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const palette = Buffer.from(colours.join(''), 'hex')
  const pixels = deflateSync(Buffer.from(rows), { level: 0 })
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

/** Smooth heights from 0 to 255 between the corners of a grid, in whole numbers, so that every machine draws the same map. */
function heightsOf(name: string): (x: number, y: number) => number {
  const columns = width / cell + 2
  const corners = Buffer.from(hash('sha512', name).repeat(2), 'hex')
  const corner = (column: number, row: number) => corners[(row * columns + column) % corners.length] ?? 0
  return (x, y) => {
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)]
    const [right, down] = [x % cell, y % cell]
    const top = corner(column, row) * (cell - right) + corner(column + 1, row) * right
    const bottom = corner(column, row + 1) * (cell - right) + corner(column + 1, row + 1) * right
    return Math.floor((top * (cell - down) + bottom * down) / (cell * cell))
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

const lineLength = 88

/** A one-page PDF with this text. Characters beyond Latin-1 become question marks. */
export function writePdf(text: string): Buffer {
  const lines = text.split('\n').flatMap(wrap)
  const drawn = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`).join('\n')
  const content = `BT /F1 11 Tf 15 TL 56 780 Td\n${drawn}\nET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>',
    `<</Length ${latin1(content).length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = latin1(body).length
    body += `${index + 1} 0 obj${object}endobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = latin1(body).length
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`
  return latin1(body + end)
}

const latin1 = (text: string) => Buffer.from(text.replaceAll(/[^\0-\u00FF]/gu, '?'), 'latin1')

/** Wraps a paragraph into lines. */
function wrap(paragraph: string): string[] {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= lineLength) lines.push(word)
    else lines.splice(-1, 1, last === '' ? word : `${last} ${word}`)
  }
  return lines
}

import { crc32, deflateSync } from 'node:zlib'
import { hash } from 'node:crypto'

const [width, height, cell] = [320, 208, 32] as const

/** The length of every map in bytes. */
export const mapSize = 66_886

/** Valley to summit, and the lines between two heights. */
const colours = [
  '#3f7d4e',
  '#5f9a5b',
  '#8fb56b',
  '#c2c489',
  '#c9ad7f',
  '#b08d6a',
  '#9c8478',
  '#b9b2ad',
  '#dcdad7',
  '#ffffff',
  '#6b4f3a',
] as const
const lineColour = colours.length - 1

/** A map of mountains as a PNG, the same for the same name. Stored without compression, so that its bytes never change. */
export function drawMap(name: string): Buffer {
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
  const palette = Buffer.from(colours.map((colour) => colour.slice(1)).join(''), 'hex')
  const pixels = deflateSync(Buffer.from(rows), { level: 0 })
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

/** Smooth heights from 0 to 255 between the corners of a grid, in whole numbers, so that every machine draws the same. */
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

/** A PDF of one page with this text. Characters beyond Latin-1 become question marks. */
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

/** The lines of a paragraph. */
function wrap(paragraph: string): string[] {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= lineLength) lines.push(word)
    else lines.splice(-1, 1, last === '' ? word : `${last} ${word}`)
  }
  return lines
}

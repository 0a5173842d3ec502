import { hash } from 'node:crypto'
import path from 'node:path'
import { temporaryFile } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driveEmulator, type Item, readSeed } from '../src/index.ts'
import { describeContent, generateContent, toKey } from '../src/content/generated.ts'
import { connected } from './connected.ts'

const sample = path.join(import.meta.dirname, '../../../../docs/emulators/samples/drive.yaml')

/** An item's text. */
const textOf = ({ content }: Item) => generateContent(content ?? '')?.toString() ?? ''

/** The cells of a CSV file's lines, without the first line. */
function rowsOf(items: readonly Item[], name: string): string[][] {
  const [file] = items.filter((item) => item.name === name)
  if (!file) throw new Error(`There is no ${name}.`)
  return textOf(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
}

describe('the company', () => {
  const files = () => connected({ seed: 'company' }).store.files()

  it('is what a new drive contains', () => {
    const other = driveEmulator({ now: () => Date.parse('2026-09-16T12:00:00Z') })
    onTestFinished(() => other.close())
    expect(other.store.files()).toEqual(files())
    const kinds = files().filter(({ mimeType }) => !mimeType.startsWith('application/vnd.google-apps'))
    expect(kinds.length).toBeGreaterThanOrEqual(40)
  })

  it('has content with the size and the MD5 that it announces', () => {
    for (const { name, content, size, md5 } of files().filter((item) => item.content !== null && item.md5 !== null)) {
      const bytes = generateContent(content ?? '')
      expect([name, bytes?.length, bytes && hash('md5', bytes)]).toEqual([name, size, md5])
    }
  })

  it.for([
    ['Launch budget.csv', [2, 3, 4]],
    ['Revenue forecast.csv', [5, 6, 7]],
  ] as const)('adds up in %s', ([name, columns]) => {
    const rows = rowsOf(files(), name)
    const [total, ...others] = rows.toReversed()
    for (const column of columns) {
      const sum = others.reduce((before, row) => before + Number(row[column]), 0)
      expect([column, sum]).toEqual([column, Number(total?.[column])])
      expect(sum).toBeGreaterThan(0)
    }
  })

  it('multiplies in the forecast, and counts what the meetings say of the beta', () => {
    for (const [, teams, price, guides, guidePrice, teamSum, guideSum, sum] of rowsOf(files(), 'Revenue forecast.csv').slice(0, -1)) {
      expect([Number(teams) * Number(price), Number(guides) * Number(guidePrice)]).toEqual([Number(teamSum), Number(guideSum)])
      expect(Number(teamSum) + Number(guideSum)).toBe(Number(sum))
    }
    const beta = rowsOf(files(), 'Beta feedback.csv')
    const count = (column: number, value: string) => beta.filter((row) => row[column] === value).length
    const sum = (column: number) => beta.reduce((before, row) => before + Number(row[column]), 0)
    const meeting = files().find(({ name }) => name === 'Launch meeting, 7 weeks to go.md')
    expect(meeting && textOf(meeting)).toContain(`${beta.length} teams, ${sum(2)} guides, ${sum(3)} shared packs`)
    expect([count(4, 'yes'), count(5, 'yes'), new Set(beta.map((row) => row[1])).size]).toEqual([10, 7, 11])
  })

  it('leaves no placeholders in text, and nothing in the future', () => {
    const odd = files().filter(
      (item) => textOf(item).includes('{{') || item.modifiedTime > '2026-09-16T12:00:00.000Z' || item.modifiedTime < item.createdTime,
    )
    expect(odd.map(({ name }) => name)).toEqual([])
  })

  it('has the same ids whenever it is loaded', () => {
    const later = driveEmulator({ seed: 'company', now: () => Date.parse('2028-01-01T00:00:00Z') })
    onTestFinished(() => later.close())
    expect(later.store.files().map(({ id }) => id)).toEqual(files().map(({ id }) => id))
  })
})

describe('a seed file', () => {
  it('fills a drive', async () => {
    const { store, get } = connected({ seed: await readSeed(sample) })
    const names = store.files().map(({ name }) => name)
    expect(names).toEqual(['My Drive', 'Recipes', 'Rye.md', 'Oven.png', 'Invoice.pdf', 'Bakery', 'Opening hours.txt', 'Prices.csv', 'Rye'])
    const [recipe] = store.named('Rye.md')
    expect(recipe && textOf(recipe)).toBe('# Rye\n\nFeed the dough on 17 September 2026.\n')
    expect([recipe?.starred, recipe?.createdTime, recipe?.modifiedTime]).toEqual([
      1,
      '2026-09-04T12:00:00.000Z',
      '2026-09-15T12:00:00.000Z',
    ])
    expect(store.named('Rye')[0]?.targetId).toBe(recipe?.id)
    expect(store.named('Prices.csv')[0]).toMatchObject({ role: 'reader', mimeType: 'text/csv' })
    const shared = await get('GET /files', { query: { q: 'sharedWithMe', fields: 'files(name,owners(emailAddress))' } })
    expect(shared).toEqual({ files: [{ name: 'Prices.csv', owners: [{ emailAddress: 'ben@bakery.example' }] }] })
    expect(store.permissions()).toContainEqual(
      expect.objectContaining({ type: 'group', emailAddress: 'bakers@bakery.example', role: 'writer' }),
    )
  })

  it.for([
    [
      'a person twice',
      'people: [{name: A, email: a@b.example}, {name: B, email: a@b.example}]',
      'people[1].email: there is more than one person or group called "a@b.example".',
    ],
    [
      'an unknown address',
      'myDrive:\n- name: A\n  sharedWith: [{with: x@y.example, role: reader}]',
      'line 3: myDrive[0].sharedWith[0].with: there is no person or group called "x@y.example" in this seed.',
    ],
    [
      'an unknown owner',
      'sharedWithMe: [{name: A, owner: x@y.example, role: reader}]',
      'sharedWithMe[0].owner: there is no person or group',
    ],
    [
      'a shortcut to nothing',
      'myDrive:\n- name: A\n  items:\n  - name: B\n    shortcutTo: My Drive/C',
      'line 5: myDrive[0].items[0].shortcutTo: there is no item called "My Drive/C" in this seed.',
    ],
    [
      'two contents',
      'myDrive: [{name: A, text: a, pdf: b}]',
      'myDrive[0].pdf: an item can have only one kind of content, and this one already has text.',
    ],
    ['a folder with a text', 'myDrive: [{name: A, type: folder, text: a}]', 'myDrive[0].text: a folder cannot have text.'],
    ['a name twice', 'myDrive: [{name: A}, {name: A}]', 'myDrive[1].name: there is more than one item'],
    [
      'a wrong role',
      'myDrive:\n- name: A\n  sharedWith:\n  - with: anyone\n    role: boss',
      'line 5: myDrive[0].sharedWith[0].role: Invalid option: expected one of "reader"|"commenter"|',
    ],
    ['a time that is none', 'myDrive: [{name: A, createdAt: soon}]', 'myDrive[0].createdAt: "soon" is neither'],
    ['base64 that is none', 'myDrive: [{name: A, base64: "#"}]', 'myDrive[0].base64: Invalid base64'],
  ] as const)('with %s says where and what', async ([, text, message]) => {
    using file = temporaryFile('seed.yaml', text)
    await expect(readSeed(file.file)).rejects.toThrow(message)
  })

  it('cannot name a file outside the content directory', async () => {
    using file = temporaryFile('seed.yaml', 'myDrive: [{name: ../../a.png, picture: ../../b}, {name: ../../c, bytes: 5}]')
    const { store } = connected({ seed: await readSeed(file.file) })
    const keys = store.files().flatMap(({ content }) => content ?? [])
    expect(keys).toEqual([expect.stringMatching(/^map-[\w-]+$/), expect.stringMatching(/^sized-5-[\w-]+$/)])
  })

  it('may have items with the same name that keys distinguish', async () => {
    using file = temporaryFile(
      'seed.json',
      '{"myDrive": [{"name": "A", "key": "one"}, {"name": "A", "key": "two"}, {"name": "B", "base64": "AAEC"}]}',
    )
    const { store } = connected({ seed: await readSeed(file.file) })
    expect(store.named('A')).toHaveLength(2)
    expect(store.named('B')[0]).toMatchObject({ size: 3, mimeType: 'application/octet-stream' })
  })
})

describe('generated content', () => {
  it('is a map as PNG, and a page as PDF', () => {
    const map = generateContent(`map-${toKey('Anywhere')}`)
    expect(map?.subarray(1, 4).toString()).toBe('PNG')
    expect(describeContent(`map-${toKey('Anywhere')}`).size).toBe(map?.length)
    const pdf = generateContent(`page-${toKey('A (b) \\ é 山')}`)?.toString('latin1')
    expect(pdf).toContain('(A \\(b\\) \\\\ é ?) Tj')
    const start = Number(/startxref\n(\d+)/.exec(pdf ?? '')?.[1])
    expect(pdf?.slice(start, start + 4)).toBe('xref')
  })
})

describe('a database that has data', () => {
  it('keeps it, and says that the seed was not used', async () => {
    using seed = temporaryFile('seed.yaml', '')
    const file = path.join(seed.directory, 'drive.db')
    const first = driveEmulator({ file, seed: 'empty' })
    expect(await first.seedNotice()).toBeUndefined()
    await first.close()
    const second = driveEmulator({ file, seed: 'edge-cases' })
    onTestFinished(() => second.close())
    expect(second.store.files().map(({ name }) => name)).toEqual(['My Drive'])
    expect(await second.seedNotice()).toContain('The seed edge-cases was not used')
  })
})

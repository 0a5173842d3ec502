import { textAt } from '@mcp-toolkits/emulator/testing'
import type { JsonObject } from '@mcp-toolkits/emulator'
import { covers } from './covers.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connected, folderType, rowsIn } from './connected.ts'
import { runs } from '../../../testing/src/runs.ts'

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

describe('a query', () => {
  it('compares names without regard to case', covers('queries/name-equals'), async () => {
    const { names } = connected()
    expect(await names("name = 'APOLLO'")).toEqual(['Apollo', 'Apollo', 'apollo'])
    expect(await names("name = 'NOTES.TXT' and trashed = false")).toEqual(['Notes.txt', 'notes.txt'])
    expect(await names("name != 'notes.txt' and name contains 'notes'")).toEqual([])
    expect(await names("name = 'note'")).toEqual([])
  })

  it('matches beginnings of words of a name in any order', covers('queries/name-contains'), async () => {
    const { names } = connected()
    expect(await names("name contains 'LAU pla'")).toEqual(['Launch plan'])
    expect(await names("name contains 'plan lau'")).toEqual(['Launch plan'])
    expect(await names("name contains 'aunch'")).toEqual([])
    expect(await names("name contains 'résum'")).toEqual(['Résumé.txt'])
    expect(await names("name contains '%'")).toEqual([])
  })

  it(
    'finds whole words and quoted phrases in names and content',
    covers('queries/full-text', 'queries/full-text-whole-words'),
    async () => {
      const { names } = connected()
      expect(await names("fullText contains 'valve'")).toEqual(['Budget', 'Launch plan', 'Retrospective.md'])
      expect(await names("fullText contains 'valv'")).toEqual([])
      expect(await names("fullText contains 'froze valve'")).toEqual(['Retrospective.md'])
      expect(await names('fullText contains \'"froze valve"\'')).toEqual([])
      expect(await names('fullText contains \'"valve froze" twice\'')).toEqual(['Retrospective.md'])
      expect(await names("fullText contains 'BROCHURE' and mimeType contains 'application/vnd.google-apps'")).toEqual([
        'Budget',
        'Launch plan',
      ])
    },
  )

  it('rejects orderBy with fullText', covers('queries/full-text-order'), async () => {
    const { ask } = connected()
    const { status, body } = await ask('GET /files', { query: { q: "not fullText contains 'x'", orderBy: 'name' } })
    expect([status, body]).toMatchObject([403, { error: { errors: [{ reason: 'forbidden', location: 'orderBy' }] } }])
  })

  it('does not sort fullText by time', covers('queries/full-text-result-order'), async () => {
    const { get, quirks } = connected()
    const query = { q: "fullText contains 'valve'", pageSize: 2 }
    const first = await get('GET /files', { query })
    const second = await get('GET /files', { query: { ...query, pageToken: textAt(first, 'nextPageToken') } })
    const named = ({ files }: JsonObject) => rowsIn(files).map(({ name }) => name)
    expect([...named(first), ...named(second)]).toEqual(['Budget', 'Retrospective.md', 'Launch plan'])
    quirks.shortPages = true
    const empty = await get('GET /files', { query })
    expect([named(empty), named(await get('GET /files', { query: { ...query, pageToken: textAt(empty, 'nextPageToken') } }))]).toEqual([
      [],
      ['Budget'],
    ])
  })

  it('puts names that contain the fullText words first', covers('queries/full-text-result-order'), async () => {
    const { addItem, get } = connected()
    addItem({ name: 'A', text: 'The quokka eats.' })
    addItem({ name: 'Quokka, a long name for notes', text: 'The quokka eats grass.' })
    addItem({ name: 'Quokka', text: 'grass and more grass' })
    const named = async (words: string, pageSize = 10) => {
      const query = { q: `fullText contains '${words}' and trashed = false`, pageSize }
      const first = await get('GET /files', { query })
      if (typeof first['nextPageToken'] !== 'string') return rowsIn(first['files']).map(({ name }) => name)
      const second = await get('GET /files', { query: { ...query, pageSize: 10, pageToken: textAt(first, 'nextPageToken') } })
      return [first, second].flatMap(({ files }) => rowsIn(files).map(({ name }) => name))
    }
    expect(await named('quokka')).toEqual(['Quokka', 'Quokka, a long name for notes', 'A'])
    expect(await named('quokka', 2)).toEqual(['Quokka', 'Quokka, a long name for notes', 'A'])
    expect(await named('notes grass')).toEqual(['Quokka, a long name for notes'])
  })

  it('compares types, flags and times', covers('queries/types-flags-times', 'queries/mime-type-contains'), async () => {
    const { names } = connected()
    expect(await names("mimeType = 'image/png'")).toEqual(['lake.png'])
    expect(await names("mimeType contains 'image/'")).toEqual(['dot.gif', 'lake.png'])
    expect(await names("mimeType contains 'png'")).toEqual([])
    expect(await names("mimeType != 'application/vnd.google-apps.folder' and starred = true")).toEqual(['Budget'])
    expect(await names('trashed = true')).toEqual(['Attic', 'Old draft.txt', 'lamp.txt', 'notes.txt'])
    expect(await names('trashed != false')).toEqual(['Attic', 'Old draft.txt', 'lamp.txt', 'notes.txt'])
    expect(await names('sharedWithMe')).toEqual(['Offsite', 'Onboarding guide'])
    expect(await names("sharedWithMe = false and name contains 'offs'")).toEqual([])
    expect(await names("modifiedTime >= '2026-09-12T12:00:00' and trashed = false")).toEqual(['Apollo', 'Latest plan'])
    expect(await names("modifiedTime > '2026-09-12T14:00:00+02:00' and trashed = false")).toEqual(['Apollo'])
    expect(await names("createdTime < '2025-09-01T00:00:00Z'")).toEqual(['Projects'])
  })

  it('finds items by owner, writer and reader', covers('queries/people'), async () => {
    const { names } = connected()
    expect(await names("'ada.okafor@lodestar.example' in owners")).toEqual(['Onboarding guide'])
    expect(await names("'ada.okafor@lodestar.example' in writers and trashed = false")).toEqual(['Apollo', 'Onboarding guide'])
    expect(await names("'grace.kim@studio-kim.example' in readers")).toEqual(['Report.pdf'])
    expect(await names("'me' in owners and name contains 'agenda'")).toEqual([])
  })

  it('combines terms with and, or, not and parentheses', covers('queries/grammar'), async () => {
    const { names, one } = connected()
    const [lake, dot] = ["name = 'lake.png'", "name = 'dot.gif'"]
    expect(await names(`${lake} or ${dot} and trashed = true`)).toEqual(['lake.png'])
    expect(await names(`(${lake} or ${dot}) and trashed = false`)).toEqual(['dot.gif', 'lake.png'])
    expect(await names(`(${lake} or ${dot}) and not ${lake}`)).toEqual(['dot.gif'])
    expect(await names(`not (not ${lake})`)).toEqual(['lake.png'])
    expect(await names(`'${one('Summer 2026').id}' in parents and not mimeType = 'image/gif'`)).toEqual(['lake.png'])
    expect(await names("'root' in parents and name contains 'pho'")).toEqual(['Photos'])
  })

  it.each([
    'name',
    "name = 'a",
    'name = "a"',
    'name = a',
    "name > 'a'",
    "fullText = 'a'",
    "name == 'a'",
    "title = 'a'",
    "NAME = 'a'",
    "name = 'a' AND name = 'b'",
    "name = 'a' name = 'b'",
    "name = 'a' and",
    "(name = 'a'",
    "name = 'a')",
    "name = 'a\\n'",
    "name = 'a\\'",
    "'a' in",
    "'a' in children",
    'trashed',
    "trashed = 'true'",
    'trashed = yes',
    "modifiedTime > '2026-09-12'",
    "modifiedTime > '2026-13-12T00:00:00'",
    "modifiedTime contains '2026'",
    "name = 'a';",
    '()',
    'not',
    "properties has { key='a' }",
    "properties has { value='b' and key='a' }",
    "properties = 'a'",
    "visibility = 'public'",
    "visibility contains 'limited'",
    '('.repeat(5000),
    'not '.repeat(5000),
  ])('refuses what is not in the grammar: %s', covers('queries/anything-else'), async (q) => {
    const { ask } = connected({ seed: 'empty' })
    const { status, body } = await ask('GET /files', { query: { q } })
    expect([status, body]).toMatchObject([400, { error: { errors: [{ reason: 'invalid', location: 'q' }] } }])
  })

  it('finds properties by key and value', covers('queries/properties'), async () => {
    const { names, get } = connected({ seed: 'empty' })
    await get('POST /files', { body: { name: 'one', properties: { stage: 'draft', "it's": 'odd' } } })
    await get('POST /files', { body: { name: 'two', properties: { stage: 'final' }, appProperties: { stage: 'draft' } } })
    expect(await names("properties has { key='stage' and value='draft' }")).toEqual(['one'])
    expect(await names("not properties has {key='stage' and value='draft'} and properties has { key='stage' and value='final' }")).toEqual([
      'two',
    ])
    expect(await names("properties has { key='it\\'s' and value='odd' }")).toEqual(['one'])
    expect(await names("appProperties has { key='stage' and value='draft' }")).toEqual(['two'])
    expect(await names("properties has { key='draft' and value='stage' }")).toEqual([])
  })

  it('finds what is shared so widely', covers('queries/visibility', 'queries/visibility-of-several'), async () => {
    const { names, get } = connected({ seed: 'empty' })
    const grant = async (id: unknown, permission: object) =>
      get(`POST /files/${String(id)}/permissions`, { body: { role: 'reader', ...permission } })
    const make = async (name: string, permission?: object) => {
      const { id } = await get('POST /files', { body: { name, mimeType: folderType } })
      if (permission) await grant(id, permission)
      return String(id)
    }
    await make('private')
    const linked = await make('linked', { type: 'anyone' })
    await get('POST /files', { body: { name: 'inside', parents: [linked] } })
    await make('found', { type: 'anyone', allowFileDiscovery: true })
    const domain = await make('domain', { type: 'domain', domain: 'lodestar.example' })
    await grant(domain, { type: 'user', emailAddress: 'priya.nair@lodestar.example' })
    const both = await make('domain found', { type: 'domain', domain: 'lodestar.example', allowFileDiscovery: true })
    expect(await names("visibility = 'limited'")).toEqual(['private'])
    expect(await names("visibility = 'anyoneWithLink'")).toEqual(['inside', 'linked'])
    expect(await names("visibility = 'anyoneCanFind'")).toEqual(['found'])
    expect(await names("visibility = 'domainWithLink'")).toEqual(['domain'])
    expect(await names("visibility = 'domainCanFind'")).toEqual(['domain found'])
    await grant(both, { type: 'anyone' })
    expect(await names("visibility != 'limited' and name = 'domain found' and visibility = 'anyoneWithLink'")).toEqual(['domain found'])
  })

  it('allows quotes, backslashes and operators inside a string', covers('queries/quoting'), async () => {
    const { names, get } = connected({ seed: 'empty' })
    const piece = fc.oneof(
      fc.constantFrom("'", '\\', '"', ' or ', ' and trashed = true', ') ', "\\'", "' in parents", '%', '🚀'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    )
    const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
    const asked = text.filter((name) => name.isWellFormed() && name.trim() !== '')
    await get('POST /files', { body: { name: 'another' } })
    await fc.assert(
      fc.asyncProperty(asked, async (name) => {
        const { id } = await get('POST /files', { body: { name } })
        expect(await names(`name = ${quote(name)} and trashed = false`)).toEqual([name])
        expect(await names(`not name = ${quote(name)}`)).toEqual(['another'])
        expect(await names(`name = 'nothing' or fullText contains ${quote(`zzz ${name}`)}`)).toEqual([])
        await get(`DELETE /files/${String(id)}`)
      }),
      { numRuns: runs(150) },
    )
  })

  it('answers 404 for an unknown folder', covers('queries/unknown-folder'), async () => {
    const { refusal } = connected()
    expect(await refusal('GET /files', { query: { q: "'1234567890123456789' in parents" } })).toEqual([404, 'notFound'])
  })

  it('loses rows of combined parents with a switch', covers('queries/alternatives-of-parents'), async () => {
    const { names, one, quirks } = connected()
    const q = `('${one('Summer 2026').id}' in parents) or ('${one('Drafts').id}' in parents)`
    expect(await names(q)).toEqual(['dot.gif', 'idea.txt', 'lake.png'])
    quirks.dropsRowsOfParentQueries = true
    expect(await names(q)).toEqual(['dot.gif', 'lake.png'])
    expect(await names(`'${one('Drafts').id}' in parents and trashed = false`)).toEqual(['idea.txt'])
  })

  it('accepts hundreds of names', covers('queries/length'), async () => {
    const { names } = connected()
    const wanted = ['lake.png', 'dot.gif', ...Array.from({ length: 400 }, (_, index) => `n${index}`)]
    expect(await names(`trashed = false and (${wanted.map((name) => `name='${name}'`).join(' or ')})`)).toEqual(['dot.gif', 'lake.png'])
    const others = Array.from({ length: 300 }, (_, index) => `mimeType = 'a/${index}'`)
    expect(await names(`(${others.join(' or ')} or name = 'lake.png')`)).toEqual(['lake.png'])
  })
})

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { assumedOn, documented, own, type Rules, seen } from '../src/index.ts'
import { assumptions, countRules } from '../src/rules.ts'
import { coverageOf, ruleProblems } from '../src/testing.ts'
import { notesRules } from './notes.ts'

/** A folder with one test file. */
function folderOf(source: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  writeFileSync(join(folder, 'notes.test.ts'), source)
  return pathToFileURL(`${folder}/`)
}

const page = { url: 'https://notes.example', date: '2026-03-01' } as const
const assumed = assumedOn('2026-03-02')

describe('rules', () => {
  it('have a verdict, its evidence and a date', () => {
    expect(documented(page.url, page.date)('Keeps notes.')).toEqual({ text: 'Keeps notes.', verdict: 'documented', ...page })
    expect(seen('a client', page.url, page.date)('Keeps notes.')).toEqual({
      text: 'Keeps notes.',
      verdict: 'seen',
      by: 'a client',
      ...page,
    })
    expect(assumed.data('Keeps notes.', 'as files')).toEqual({
      text: 'Keeps notes.',
      verdict: 'assumed',
      date: '2026-03-02',
      because: 'as files',
      harm: 'data',
    })
    expect(own('Shows a page.')).toEqual({ text: 'Shows a page.', verdict: 'own' })
  })

  it('are counted by their verdicts, and assumptions are listed by the harm', () => {
    const rules: Rules = {
      'notes/page': own('Shows a page.'),
      'notes/words': assumed.refusal('Refuses in these words.', 'as others'),
      'notes/lost': assumed.data('Loses nothing.', 'as others'),
      'notes/order': assumed.result('Keeps the order.', 'as others'),
    }
    expect(countRules(rules)).toEqual({ documented: 0, seen: 0, assumed: 3, own: 1 })
    expect(assumptions(rules).map(({ id }) => id)).toEqual(['notes/lost', 'notes/order', 'notes/words'])
  })

  it('are listed by the tests that cover them', () => {
    const covers = coverageOf<typeof notesRules>()
    expect(covers('notes/kept', 'notes/ordered')).toEqual({ meta: { rules: ['notes/kept', 'notes/ordered'] } })
  })
})

describe('ruleProblems', () => {
  it('finds nothing wrong with rules that tests cover', () => {
    expect(ruleProblems(notesRules, folderOf("it('a', covers('notes/kept'), f)\nit('b', covers(\n  'notes/ordered',\n), f)"))).toEqual([])
  })

  it('reports bad ids, texts, pages and days, uncovered rules and unknown ids', () => {
    const rules: Rules = {
      'Notes/Kept': own('Keeps notes.'),
      'notes/order': own('in order'),
      'notes/page': documented('https://', page.date)('Cites a page.'),
      'notes/day': documented(page.url, '2026-13-01')('Has a day.'),
      'notes/untested': own('Is not tested.'),
    }
    expect(
      ruleProblems(rules, folderOf("it('a', covers('Notes/Kept', 'notes/order', 'notes/page', 'notes/day', 'notes/gone'), f)")),
    ).toEqual([
      'Notes/Kept: the id is not kebab-case after an area',
      'notes/order: the text is not a sentence',
      'notes/page: https:// is not a page',
      'notes/day: 2026-13-01 is not a day',
      'notes/untested: no test covers it',
      'notes/gone: a test covers it, but there is no such rule',
    ])
  })
})

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { assumed, documented, type Rules } from '../src/index.ts'
import { coverageOf, ruleProblems } from '../src/testing.ts'
import { notesRules } from './notes.ts'

/** A folder with one test file. */
function folderOf(source: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  writeFileSync(join(folder, 'notes.test.ts'), source)
  return pathToFileURL(`${folder}/`)
}

describe('rules', () => {
  it('name their source', () => {
    expect(documented('https://notes.example', 'Keeps notes.')).toEqual({ text: 'Keeps notes.', source: 'https://notes.example' })
    expect(assumed('Keeps notes.')).toEqual({ text: 'Keeps notes.', source: 'assumed' })
    expect(assumed('Keeps notes.', 'seen')).toEqual({ text: 'Keeps notes.', source: 'assumed: seen' })
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

  it('reports bad ids, texts and sources, uncovered rules and unknown ids', () => {
    const rules: Rules = {
      'Notes/Kept': assumed('Keeps notes.'),
      'notes/order': assumed('in order'),
      'notes/page': documented('https://', 'Cites a page.'),
      'notes/untested': assumed('Is not tested.'),
    }
    expect(ruleProblems(rules, folderOf("it('a', covers('Notes/Kept', 'notes/order', 'notes/page', 'notes/gone'), f)"))).toEqual([
      'Notes/Kept: the id is not kebab-case after an area',
      'notes/order: the text is not a sentence',
      'notes/page: https:// is not a page',
      'notes/untested: no test covers it',
      'notes/gone: a test covers it, but there is no such rule',
    ])
  })
})

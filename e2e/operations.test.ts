import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const read = (...parts: readonly string[]) => readFile(path.join(import.meta.dirname, '..', ...parts), 'utf8')

test('the runbook calls as many procedures rehearsed as the drill rehearses', async () => {
  const [page, main] = await Promise.all([read('docs', 'operations.md'), read('lab', 'drill', 'main.ts')])
  const rehearsals = /const rehearsals: readonly Rehearsal\[\] = \[([^\]]*)\]/.exec(main)?.[1]?.split(',') ?? []
  expect(rehearsals).toHaveLength(5)
  const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  const rehearsed = titles.slice(titles.indexOf('Rotate the vault key'), titles.indexOf('An upgrade') + 1)
  expect(rehearsed).toHaveLength(rehearsals.length)
  expect(page).toContain('rehearses five of the procedures below, from rotating the vault key to upgrading')
})

test('every configuration of nginx repeats unanswered requests as the one in the tests does', async () => {
  const files = [
    ['docs', 'hosting.md'],
    ['deploy', 'nginx', 'mcp.conf.template'],
    ['deploy', 'kubernetes', 'issue-tracker.yaml'],
  ]
  for (const parts of files) {
    const text = await read(...parts)
    expect(text, parts.join('/')).toMatch(/proxy[_-]next[_-]upstream:? error timeout non_idempotent;?\n/)
    expect(text, parts.join('/')).toMatch(/proxy[_-]next[_-]upstream[_-]tries:? '?2'?;?\n/)
  }
})

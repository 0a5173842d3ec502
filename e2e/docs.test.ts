import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countRules, type Rules } from '../packages/emulators/kit/src/rules.ts'
import { driveRules } from '../packages/emulators/drive/src/rules/index.ts'
import { linearRules } from '../packages/emulators/linear/src/rules/index.ts'
import { pipelinesRules } from '../packages/emulators/pipelines/src/rules.ts'
import { root } from '../releases/releases.ts'
import { manifestOf } from '../releases/third-party.ts'
import { servers } from '../servers.ts'

const patterns = ['docs/*.md', 'docs/*/*.md', 'apps/*/README.md', 'packages/*/*/README.md', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md']
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const pages = globSync(patterns, { cwd: root })
const withoutCode = (page: string) => page.replaceAll(/^ *```[^]*?^ *```$/gm, '')

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.replaceAll(/\]\([^)]*\)/g, ''))
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

/** Links on a page that lead to a missing file or heading in the repository. */
function brokenLinks(page: string): readonly string[] {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    const [file = '', anchor] = link
      .replace('https://github.com/mcp-toolkits/mcp-toolkits/blob/main/', `${path.relative(path.dirname(page), '.') || '.'}/`)
      .split('#')
    if (/^\w+:/.test(file)) return false
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(path.join(root, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)
  })
}

test.for(pages)('every link of %s leads somewhere', (page) => {
  expect(brokenLinks(page)).toEqual([])
})

test('pages say that the packages are not on npm until the first release, and no longer', () => {
  const { version } = manifestOf(path.join(root, 'apps', 'issue-tracker'))
  const remarks = [...pages, 'lab/tasks/README.md'].filter((page) => read(page).includes('not on npm yet'))
  if (version === '0.0.0') expect(remarks).toContain('README.md')
  else expect(remarks).toEqual([])
})

/** A page without its generated parts. */
const writtenPart = (page: string) =>
  page.startsWith('docs/tools/') ? '' : read(page).replaceAll(/<!-- (\S+):begin -->[^]*?<!-- \1:end -->/g, '')

test('the documentation has at most 50,000 words, 34,950 of them written by hand', () => {
  const wordsIn = (texts: readonly string[]) => texts.reduce((sum, each) => sum + (each.match(/\S+/g)?.length ?? 0), 0)
  const written = wordsIn(pages.map(writtenPart))
  const sections = globSync('docs/tools/*.md', { cwd: root }).flatMap((page) => read(page).match(/^## /gm) ?? [])
  // Each server after the third, and each section after the 108th in docs/tools, adds text that nobody writes.
  const furtherWords = 300 * (servers.length - 3) + 150 * Math.max(0, sections.length - 108)
  expect(written).toBeGreaterThan(10_000)
  expect(written).toBeLessThanOrEqual(34_950)
  expect(wordsIn(pages.map(read))).toBeLessThanOrEqual(50_000 + furtherWords)
})

test('the glossary has at most 110 terms, each once', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, term]) => term)
  expect(new Set(terms).size).toBe(terms.length)
  expect(terms.length).toBeGreaterThan(0)
  expect(terms.length).toBeLessThanOrEqual(110)
})

test('at most 30 % of what the emulators believe of their vendors is assumed', () => {
  const sets: readonly Rules[] = [driveRules, linearRules, pipelinesRules]
  const counts = sets.map(countRules)
  const sum = (verdict: 'assumed' | 'documented' | 'seen') => counts.reduce((total, count) => total + count[verdict], 0)
  expect(sum('assumed')).toBeLessThanOrEqual(0.3 * (sum('assumed') + sum('documented') + sum('seen')))
})

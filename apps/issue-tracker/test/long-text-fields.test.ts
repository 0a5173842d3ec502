import { member } from '@mcp-toolkits/core/base'
import { printable } from '@mcp-toolkits/core/errors'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { plainText } from '../src/linear/stored.ts'
import { changedTextFields, newTextFields } from '../src/tools/long-text.ts'
import { runs } from '@mcp-toolkits/testing'
import { workspace } from './workspace.ts'

const unit = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r\n', '# ', '👩‍👩‍👧‍👦', 'é', ' ', 'word ') },
)
/** Texts of every length around the limit of the short field. */
const text = fc.oneof(
  fc.array(unit, { maxLength: 150 }).map((units) => units.join('')),
  fc.array(unit, { maxLength: 10 }).map((units) => units.join('')),
  fc.tuple(fc.constantFrom('a', '😀', 'é'), fc.integer({ min: 80, max: 300 })).map(([one, count]) => one.repeat(count)),
)

/** The text that a read returns, from both fields. */
const readBack = ({ content, description }: { content?: string | null; description: string }) => content ?? description

test('reads back what was written, whatever was there before', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const first = newTextFields(before)
      expect(readBack(first)).toBe(before)
      expect(readBack({ ...first, ...changedTextFields(after) })).toBe(after)
    }),
  )
})

test('the summary is one line that fits, with no character cut in two', () => {
  fc.assert(
    fc.property(text, (whole) => {
      for (const { description } of [newTextFields(whole), changedTextFields(whole)]) {
        expect(description.length).toBeLessThanOrEqual(255)
        expect(description).not.toMatch(/[\n\r]/)
        expect(description.isWellFormed()).toBe(true)
        if (description.endsWith('…')) expect(whole).toContain(description.slice(0, -1))
      }
    }),
  )
})

test('a short paragraph needs no document; the first line sums up a longer text', () => {
  expect(newTextFields('a'.repeat(255))).toEqual({ description: 'a'.repeat(255) })
  expect(newTextFields('a'.repeat(256))).toEqual({ description: `${'a'.repeat(254)}…`, content: 'a'.repeat(256) })
  expect(newTextFields('\n## Plan \n\nMore.')).toEqual({ description: 'Plan', content: '\n## Plan \n\nMore.' })
  expect(newTextFields('')).toEqual({ description: '' })
  expect(changedTextFields('')).toEqual({ description: '', content: '' })
  const family = '👩‍👩‍👧‍👦'
  expect(newTextFields(family.repeat(30)).description).toBe(`${family.repeat(23)}…`)
})

test('GetProjectDescription and GetInitiativeDescription read what was written', async () => {
  await using server = await workspace({ emulated: { limits: { requests: 1e6, points: 1e9 } } })
  const idIn = (record: unknown, field: string) => z.string().parse(member(record, field))
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      // A backslash and an n are read as a line break.
      fc.pre(![before, after].some((each) => each.includes('\\n')))
      // Blank text counts as none, and part of the current text does not replace it.
      fc.pre([before, after].every((each) => /[\p{L}\p{N}]/u.test(each)) && !plainText(before).includes(plainText(after)))
      const { project } = await server.call('IssueTracker.CreateProject', { name: 'Read', team: 'ENG', description: before })
      const { initiative } = await server.call('IssueTracker.CreateInitiative', { name: 'Read', description: before })
      const [inProject, inInitiative] = [{ project_id: idIn(project, 'slug_id') }, { initiative_id: idIn(initiative, 'id') }]
      for (const written of [before, after]) {
        if (written === after) {
          await server.call('IssueTracker.UpdateProject', { ...inProject, description: after })
          await server.call('IssueTracker.UpdateInitiative', { ...inInitiative, description: after })
        }
        const read = { limit: 20_000 }
        expect(await server.call('IssueTracker.GetProjectDescription', { ...inProject, ...read })).toMatchObject({
          text: printable(written),
        })
        expect(await server.call('IssueTracker.GetInitiativeDescription', { ...inInitiative, ...read })).toMatchObject({
          text: printable(written),
        })
      }
    }),
    { numRuns: runs(25) },
  )
})

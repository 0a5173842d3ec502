import { expect, it } from 'vitest'
import * as z from 'zod'
import { withVocabulary } from '../corrections/vocabulary.ts'
import { fitOf } from './fit.ts'

const input = withVocabulary(
  z.object({
    name: withVocabulary(z.string(), { names: 'title' }),
    folder: withVocabulary(z.string(), { names: 'parent', fits: (written) => written !== 'everywhere' }),
    limit: z.int().optional(),
  }),
  { idle: { kind: ['folder'] } },
)

it.each([
  [
    { name: 'a', folder: 'b' },
    { unknown: 0, missing: 0 },
  ],
  [
    { Title: 'a', parent: 'b', kind: 'folder' },
    { unknown: 0, missing: 0 },
  ],
  [
    { title: 'a', kind: 'file' },
    { unknown: 1, missing: 1 },
  ],
  [
    { title: 'a', parent: 'everywhere' },
    { unknown: 1, missing: 1 },
  ],
  [{ body: { title: 'a', folder: 'b', size: 1 } }, { unknown: 1, missing: 0 }],
  [
    { body: { name: 'a', folder: 'b', kind: 'file' }, api_key: 'k' },
    { unknown: 1, missing: 0 },
  ],
  [{}, { unknown: 0, missing: 2 }],
])('%j leaves %j', (args, fit) => {
  expect(fitOf({ input, effect: 'create' }, args)).toEqual(fit)
})

import { expect, test } from 'vitest'
import { createTable } from './report.ts'

test('docs/exactly-once.md says which calls are covered: after a change, run this with --update, then npm run generate', async () => {
  await expect(createTable()).toMatchFileSnapshot('./tables/creates.md')
})

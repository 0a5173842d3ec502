import { expect, test } from 'vitest'
import { createTable } from './exactly-once/report.ts'
import { countTable, faultTable, promiseTable, weaknessTable } from './reliability/report.ts'

const tables = {
  'exactly-once/tables/creates.md': createTable,
  'reliability/tables/promises.md': promiseTable,
  'reliability/tables/faults.md': faultTable,
  'reliability/tables/counts.md': countTable,
  'reliability/tables/weaknesses.md': weaknessTable,
}

test.for(Object.entries(tables))(
  '%s is what the suite does: after a change, run this with --update, then npm run generate',
  async ([file, table]) => {
    await expect(table()).toMatchFileSnapshot(`./${file}`)
  },
)

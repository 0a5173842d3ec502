import { expect, test } from 'vitest'
import { createList } from './exactly-once/report.ts'
import { countList, faultList, promiseTable, weaknessList } from './reliability/report.ts'

const tables = {
  'exactly-once/tables/creates.md': createList,
  'reliability/tables/promises.md': promiseTable,
  'reliability/tables/faults.md': faultList,
  'reliability/tables/counts.md': countList,
  'reliability/tables/weaknesses.md': weaknessList,
}

test.for(Object.entries(tables))(
  '%s is what the suite does: after a change, run this with --update, then npm run generate',
  async ([file, table]) => {
    await expect(table()).toMatchFileSnapshot(`./${file}`)
  },
)

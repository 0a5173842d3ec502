import { expect, test } from 'vitest'
import { countTable, faultTable, promiseTable, weaknessTable } from './report.ts'

const tables = { promises: promiseTable, faults: faultTable, counts: countTable, weaknesses: weaknessTable }

test.for(Object.entries(tables))(
  'docs/reliability.md has the %s of the suite: after a change, run this with --update, then npm run generate',
  async ([name, table]) => {
    await expect(table()).toMatchFileSnapshot(`./tables/${name}.md`)
  },
)

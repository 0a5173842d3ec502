import { expect, test } from 'vitest'
import published from '../lab/benchmarks/scale.json' with { type: 'json' }
import { runScale } from '../lab/benchmarks/scale/run.ts'

/** More of anything than this, with five times the records, means that it grows with them. */
const growth = 2
/** These answer without records; everything else must find some. */
const withoutItems = /(?:Create|Update)`|alt=media|`about\.get`/
/** The largest page has a row for each of 50 items. */
const maxBytes = 200_000

test('with more records, pages and results of the emulators stay as large as they are', { timeout: 300_000 }, async () => {
  const { emulators } = await runScale({ rounds: 1, many: 5_000 })
  const names = (results: readonly { readonly name: string; readonly rows: readonly { readonly name: string }[] }[]) =>
    results.map(({ name, rows }) => [name, ...rows.map((row) => row.name)])
  expect(names(emulators)).toEqual(names(published.emulators))
  const rows = emulators.flatMap((emulator) => emulator.rows.map((row) => ({ emulator: emulator.name, ...row })))
  // Each call of Pipelines answers `{}`.
  const isEmpty = ({ kind, name, emulator, many_items: items }: (typeof rows)[number]) =>
    items === 0 && (kind === 'page' || !(emulator === 'pipelines-emulator' || withoutItems.test(name)))
  const growing = rows.filter((row) => row.many_items > growth * row.few_items || row.many_bytes > growth * row.few_bytes)
  expect(growing).toEqual([])
  expect(rows.filter((row) => row.many_bytes > maxBytes)).toEqual([])
  expect(rows.filter(isEmpty)).toEqual([])
})

import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readText } from '../src/index.ts'
import { officeSamples, pdfSamples, type Sample, textSamples } from './corpus/corpus.ts'
import { startOffice } from './corpus/programs.ts'
import { shareOfWords } from './corpus/words.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'corpus-'))
afterAll(async () => rm(folder, { recursive: true, force: true }))

const folderOf = async (name: string) => {
  const made = path.join(folder, name)
  await mkdir(made, { recursive: true })
  return made
}

/** The share of the expected words that are found, or the reason why there are none. */
async function found({ file, expected }: Sample): Promise<string> {
  const reading = await readText(await readFile(file), { name: path.basename(file), mediaType: '' }, new AbortController().signal)
  if ('refusal' in reading) return reading.refusal
  const share = 'text' in expected ? shareOfWords(expected.text, reading.text.slice(0, reading.text.length)) : 0
  return share >= 0.98 ? 'at least 98 %' : `${(share * 100).toFixed(1)} %`
}

test('documents of 14 kinds have 98 % of the words that another reader finds', { timeout: 600_000 }, async () => {
  const convert = await startOffice(folder)
  const samples = [
    ...(await textSamples(await folderOf('texts'))),
    ...(await officeSamples(await folderOf('office'), convert)),
    ...(await pdfSamples(await folderOf('pdfs'), convert)),
  ]
  expect(new Set(samples.map(({ kind }) => kind)).size).toBe(14)
  expect(samples.length).toBeGreaterThanOrEqual(60)
  const results: string[] = []
  for (const sample of samples) results.push(`${sample.kind} ${path.basename(sample.file)}: ${await found(sample)}`)
  const wanted = samples.map(
    ({ kind, file, expected }) => `${kind} ${path.basename(file)}: ${'refusal' in expected ? expected.refusal : 'at least 98 %'}`,
  )
  expect(results).toEqual(wanted)
})

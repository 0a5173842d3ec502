import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { expect, test } from 'vitest'
import { FileResumeStates } from '../src/upload/resume-state.ts'
import { dataDirectory } from './uploading.ts'

const call = { name: 'a.bin' }

test('neither reads nor writes through a symbolic link', async () => {
  const directory = await dataDirectory()
  const elsewhere = path.join(await dataDirectory(), 'elsewhere')
  const open = () => new FileResumeStates({ directory, owner: 'me', vendor: 'drive', clock: new ManualClock() })
  await open().save(call, { id: 'id-1' })
  const [name = ''] = readdirSync(directory)
  const file = path.join(directory, name)
  renameSync(file, elsewhere)
  symlinkSync(elsewhere, file)
  expect(await open().take(call)).toBeUndefined()

  writeFileSync(elsewhere, 'untouched')
  symlinkSync(elsewhere, `${file}.new`)
  await open().save(call, { id: 'id-1' })
  expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
  expect(await open().take(call)).toMatchObject({ id: 'id-1' })
})

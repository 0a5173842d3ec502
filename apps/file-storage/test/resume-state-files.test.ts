import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, test } from 'vitest'
import { FileResumeStates } from '../src/upload/resume-state-files.ts'
import { call, resumeStatesContract, session } from './resume-states-contract.ts'
import { dataDirectory } from './uploading.ts'

const { etag } = session

async function processes() {
  const directory = await dataDirectory()
  const clock = new ManualClock()
  const alive = new Set<string>()
  const start = (owner = 'me') => {
    const id = randomUUID()
    alive.add(id)
    const lock = () => Promise.resolve({ id, isAlive: (other: string) => alive.has(other) })
    const states = new FileResumeStates({ directory, lock, owner, vendor: 'drive', clock })
    return Promise.resolve({ states, id, kill: () => Promise.resolve(alive.delete(id)) })
  }
  return { directory, clock, start }
}

test('neither reads nor writes through a symbolic link', async () => {
  const { directory, clock, start } = await processes()
  const elsewhere = path.join(await dataDirectory(), 'elsewhere')
  const saved = await (await start()).states.save(call, { id: 'id-1', session, at: clock.now() })
  await saved?.release()
  const [name = ''] = readdirSync(directory)
  const file = path.join(directory, name)
  renameSync(file, elsewhere)
  symlinkSync(elsewhere, file)
  expect(await (await start()).states.take(call, { id: 'id-1', etag })).toBeUndefined()

  writeFileSync(elsewhere, 'untouched')
  const third = await start()
  symlinkSync(elsewhere, path.join(directory, name.replace('.json', `.${third.id}.json.new`)))
  await third.states.save(call, { id: 'id-1', session, at: clock.now() })
  expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
})

describe('in files', () => {
  resumeStatesContract(processes)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { openLocalState } from '../../server/src/storage/local-state.ts'
import { contentsContract, serveContents } from '../../server/test/storage/contents-contract.ts'
import { sharedContents } from './shared-contents.ts'

async function openContents(clock: ManualClock) {
  const folder = await mkdtemp(path.join(tmpdir(), 'links-'))
  const state = await openLocalState({ file: path.join(folder, 'state.db'), clock })
  onTestFinished(async () => {
    await state.close()
    await rm(folder, { recursive: true, force: true })
  })
  return sharedContents(state.records, 100)
}

contentsContract(openContents)

it('a replica answers for a link that another one has made, and for no other person', async () => {
  const clock = new ManualClock()
  const contents = await openContents(clock)
  const [one, other] = [await serveContents(clock, contents), await serveContents(clock, contents)]
  const at = new URL((await one.add(Buffer.from('a;b\n'), 'person-1')).url).pathname
  const found = await fetch(`${other.origin}${at}`)
  expect([found.status, await found.text()]).toEqual([200, 'a;b\n'])
  for (const wrong of [at.replace('person-1', 'person-2'), at.replace('person-1/', ''), `${at}x`, '/content/'])
    expect((await fetch(`${other.origin}${wrong}`)).status).toBe(404)
})

import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'
import { echoServer, Gate, settings } from '../../../test/stdio/echo-server.ts'
import { openLocalState } from '../../storage/local-state.ts'
import { openToolbox } from '../calls/toolbox.ts'
import { entryLog } from '../log.ts'
import { pendingTasks } from './pending.ts'

it('tasks that cannot be resumed are logged, and end neither the server nor its close', async () => {
  const dataDirectory = await temporaryDirectory()
  const clock = new ManualClock()
  const { records, close } = await openLocalState({ file: join(dataDirectory, 'state.db'), clock })
  onTestFinished(close)
  await records.set({ ...pendingTasks, name: 'left behind' }, '', 60_000)
  await mkdir(join(dataDirectory, 'echo'))
  await symlink(dataDirectory, join(dataDirectory, 'echo', 'tasks'))
  const logged: string[] = []
  const log = entryLog('warn', ({ message }) => logged.push(message))
  const definition = { ...echoServer(new Gate()), extensions: [{ longCalls: ['Wait'] }] }
  const toolbox = openToolbox(definition, { ...settings, dataDirectory }, { records, log, clock })
  await toolbox.tasks?.resume()
  expect(logged).toEqual(['tasks were not resumed'])
  await toolbox.close()
})

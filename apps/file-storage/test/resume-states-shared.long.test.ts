import { recordsOf } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { runsPostgres, useReplicas } from '@mcp-toolkits/testing/postgres'
import { describe } from 'vitest'
import { SharedResumeStates } from '../src/upload/shared-resume-states.ts'
import { resumeStatesContract } from './resume-states-contract.ts'

describe.runIf(runsPostgres())('in a database', () => {
  const replicas = useReplicas()

  resumeStatesContract(() => {
    const replicasOfTest = replicas()
    const clock = new ManualClock()
    return Promise.resolve({
      clock,
      async start(owner = 'me') {
        const { records, replica } = await replicasOfTest.start()
        const ofKind = (kind: string) => recordsOf(records, { owner: () => Promise.resolve(owner), kind })
        return { states: new SharedResumeStates({ records: ofKind, vendor: 'drive', clock }), kill: () => replica.close() }
      },
    })
  })
})

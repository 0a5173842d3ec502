import { environmentTarget } from '@mcp-toolkits/server/account'
import { driveEmulator, localClient } from '@mcp-toolkits/drive-emulator'
import { personAt, startPeopleServers, titleOf } from '@mcp-toolkits/testing/people'
import { expect, onTestFinished } from 'vitest'
import { account } from '../../src/account.ts'
import { connectSteps } from '../../src/team/connect-steps.ts'

export const settings = { embedded: false, dataDirectory: '/nonexistent', readOnly: false, toolNames: 'safe' } as const

/** A company whose people use an emulated Google; Robin has connected an account. */
export async function startCompany() {
  const emulator = driveEmulator({ seed: 'edge-cases' })
  onTestFinished(() => emulator.close())
  const google = await emulator.listen()
  const environment = {
    FILE_STORAGE_CLIENT_ID: localClient.id,
    FILE_STORAGE_CLIENT_SECRET: localClient.secret,
    FILE_STORAGE_AUTH_URL: google.url,
    FILE_STORAGE_API_URL: google.url,
  }
  const target = environmentTarget(account, { ...settings, environment })
  if (!target) throw new Error('The environment names a client.')
  const server = { name: 'file-storage', title: 'File Storage' }
  const steps = connectSteps({ ...settings, environment })
  const company = await startPeopleServers({ server, account: { config: account, target }, steps, replicas: 2 })
  const connected = await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  expect(titleOf(connected)).toBe('Connected to Google')
  return { ...company, emulator, google, environment }
}

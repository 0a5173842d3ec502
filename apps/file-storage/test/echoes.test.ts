import { ManualClock } from '@mcp-toolkits/core/testing'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect, echoingVendors, expectNoEcho, withAuthorization } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'

const token = 'ya29.canary/token+0123456789'
const calls = [
  ['FileStorage_WhoAmI', {}],
  ['FileStorage_SearchFiles', { keywords: ['plan'] }],
  ['FileStorage_GetFileTreeStructure', {}],
  ['FileStorage_DownloadFile', { file_path_or_id: 'Nowhere/plan.txt' }],
  ['FileStorage_CreateFolder', { folder_name: 'New' }],
  ['FileStorage_ShareFile', { file_path_or_id: 'Nowhere/plan.txt', email_addresses: ['ada@example.com'] }],
] as const

test.for(echoingVendors((message, code) => ({ error: { code, message, errors: [{ message, reason: 'invalid', domain: 'global' }] } })))(
  'does not show the token to a model or in the log when Drive repeats it in $title',
  async ({ title, fetch }) => {
    const emulator = driveEmulator({ seed: 'edge-cases', accessToken: 'test-token' })
    const real = withAuthorization(emulator.fetch, 'Bearer test-token')
    const environment = { FILE_STORAGE_ACCESS_TOKEN: token }
    await using server = await connect(fileStorage, { fetch: fetch(real), clock: new ManualClock(), environment })
    const shown = await expectNoEcho(server, calls, token)
    if (title.startsWith('the texts')) expect(shown.join('\n')).toContain('[secret]')
    await emulator.close()
  },
)

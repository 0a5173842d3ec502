import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect, echoingVendors, expectNoSecrets } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'

const token = 'ya29.canary/token+0123456789'
const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['WhoAmI', {}],
  ['SearchFiles', { keywords: ['plan'] }],
  ['GetFileTreeStructure', {}],
  ['DownloadFile', { file_path_or_id: 'Nowhere/plan.txt' }],
  ['CreateFolder', { folder_name: 'New' }],
  ['ShareFile', { file_path_or_id: 'Nowhere/plan.txt', email_addresses: ['ada@example.com'] }],
]

test.for(echoingVendors((message, code) => ({ error: { code, message, errors: [{ message, reason: 'invalid', domain: 'global' }] } })))(
  'does not show the token to a model or in the log when Drive repeats it in $title',
  async ({ title, fetch }) => {
    const emulator = driveEmulator({ accessToken: 'test-token' })
    const real: typeof emulator.fetch = async (input, init) => {
      const request = new Request(input, init)
      request.headers.set('authorization', 'Bearer test-token')
      return emulator.fetch(request)
    }
    const environment = { FILE_STORAGE_ACCESS_TOKEN: token }
    await using server = await connect(fileStorage, { fetch: fetch(real), clock: new ManualClock(), environment })
    const shown: string[] = []
    for (const [tool, args] of calls) shown.push(JSON.stringify(await server.result(`FileStorage_${tool}`, args)))
    const forms = [token, token.slice(0, 12), encodeURIComponent(token), Buffer.from(`${token}:`).toString('base64').slice(0, -3)]
    expectNoSecrets([...shown, ...server.logLines], forms)
    if (title.startsWith('the texts')) expect(shown.join('\n')).toContain('[secret]')
    await emulator.close()
  },
)

import { type CommandDescription, webhookOptions } from '@mcp-toolkits/emulator/command'
import manifest from '../package.json' with { type: 'json' }

/** This emulator's command. */
export const command: CommandDescription = {
  name: 'drive-emulator',
  version: manifest.version,
  service: 'Google Drive',
  port: 4011,
  credential: { name: 'accessToken', value: 'drive-emulator' },
  options: webhookOptions('notifications of changes'),
  async open({ file, seed, credential, own }) {
    const { driveEmulator, readSeed } = await import('./library.ts')
    return driveEmulator({
      ...(file !== undefined && { file }),
      ...(seed !== undefined && { seed: await readSeed(seed) }),
      ...(credential !== undefined && { accessToken: credential }),
      links: 'workspace',
      webhooksTo: own.get('webhooks-to') ?? [],
    })
  },
  hint: (url, token) => `The Drive API is at ${url}/drive/v3, uploads at ${url}/upload/drive/v3, with the access token ${token}.`,
}

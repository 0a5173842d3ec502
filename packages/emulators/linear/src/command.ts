import { type CommandDescription, webhookOptions } from '@mcp-toolkits/emulator/command'
import manifest from '../package.json' with { type: 'json' }

/** This emulator's command. */
export const command: CommandDescription = {
  name: 'linear-emulator',
  version: manifest.version,
  service: 'Linear',
  port: 4010,
  credential: { name: 'apiKey', value: 'lin_api_emulator' },
  options: webhookOptions('webhooks'),
  async open({ file, seed, credential, own }) {
    const { linearEmulator, readSeed } = await import('./library.ts')
    return linearEmulator({
      ...(file !== undefined && { file }),
      ...(seed !== undefined && { seed: await readSeed(seed) }),
      ...(credential !== undefined && { apiKey: credential, accessToken: credential }),
      links: 'workspace',
      webhooksTo: own.get('webhooks-to') ?? [],
    })
  },
  hint: (url, key) => `GraphQL is at ${url}/graphql, with the API key ${key}.`,
}

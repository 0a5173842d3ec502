import path from 'node:path'
import type { ServerDefinition } from '../../packages/server/src/index.ts'
import type { ListedTool } from '../../packages/server/src/mcp/definition.ts'
import type { Distribution } from './types.ts'
import { readJson, root } from '../../releases/releases.ts'

/** A server as registries, bundles and READMEs describe it. */
export interface DistributedServer {
  readonly definition: Pick<ServerDefinition<never>, 'name' | 'title' | 'version' | 'prefix' | 'shortName' | 'vendor'>
  readonly distribution: Distribution
  readonly tools: readonly ListedTool[]
}

/** The repository on GitHub, from `repository` in the workspace's package.json. */
export interface Repository {
  readonly owner: string
  /** Without `.git`. */
  readonly url: string
}

/** Throws unless the repository is on GitHub. */
export function repository(): Repository {
  const text = JSON.stringify(readJson(path.join(root, 'package.json'))['repository'])
  const [, url, owner] = /"url":"git\+(https:\/\/github\.com\/([\w-]+)\/[\w.-]+?)\.git"/.exec(text) ?? []
  if (url === undefined || owner === undefined)
    throw new Error('package.json has no repository of the form git+https://github.com/owner/name.git.')
  return { owner, url }
}

/** A server's name in the MCP Registry, whose namespace belongs to the repository's owner on GitHub. */
export function registryName({ definition }: DistributedServer): string {
  return `io.github.${repository().owner}/${definition.name}`
}

export function packageName({ definition }: DistributedServer): string {
  return `@mcp-toolkits/${definition.name}`
}

/** A server's page in the repository. */
export function pageOf({ definition }: DistributedServer): string {
  return `${repository().url}/tree/main/apps/${definition.name}#readme`
}

/** The privacy section of a README and a bundle. */
export function privacyText({ distribution: { privacy } }: DistributedServer): string {
  return [
    ...privacy.statements.map((sentence) => `- ${sentence}`),
    '- With sample data (the built-in emulator), nothing leaves this machine.',
    '- There is no telemetry, and the log on standard error contains no arguments, results or credentials.',
    `- ${privacy.recipient}'s [privacy policy](${privacy.policy}) says what it does with the data it receives.`,
  ].join('\n')
}

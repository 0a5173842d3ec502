import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ServerDefinition } from '../../packages/server/src/index.ts'
import type { ListedTool } from '../../packages/server/src/definition.ts'
import type { Distribution } from '../../packages/server/src/distribution.ts'

/** A server with all that is said where it is offered. */
export interface Offered {
  readonly definition: Pick<ServerDefinition<never>, 'name' | 'title' | 'version' | 'prefix' | 'aliases' | 'shortName' | 'vendor'>
  readonly distribution: Distribution
  readonly tools: readonly ListedTool[]
}

/** Where the project lives: `repository` in the package.json of the workspace, which everything else follows. */
export interface Place {
  readonly owner: string
  /** Without `.git`. */
  readonly url: string
}

/** Throws unless the repository is one of GitHub's. */
export function place(): Place {
  const manifest: unknown = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'))
  const [, url, owner] = /"url":"git\+(https:\/\/github\.com\/([\w-]+)\/[\w.-]+?)\.git"/.exec(JSON.stringify(manifest)) ?? []
  if (url === undefined || owner === undefined)
    throw new Error('package.json has no repository of the form git+https://github.com/owner/name.git.')
  return { owner, url }
}

/** What a server is called in the MCP Registry: GitHub proves who may use the namespace of its owner. */
export function registryName({ definition }: Offered): string {
  return `io.github.${place().owner}/${definition.name}`
}

export function packageName({ definition }: Offered): string {
  return `@mcp-toolkits/${definition.name}`
}

/** The page of a server in the repository. */
export function pageOf({ definition }: Offered): string {
  return `${place().url}/tree/main/apps/${definition.name}#readme`
}

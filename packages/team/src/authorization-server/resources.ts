import { isProfileName } from '@mcp-toolkits/server/account'

/** A scope that this server's tools need. */
export interface OfferedScope {
  readonly name: string
  /** Meaning of the scope, for people: `create and change`. */
  readonly meaning: string
}

/** Resources that tokens are issued for. */
export interface Resources {
  /** The audience of every token. */
  readonly audience: string
  /** True for addresses at which this server speaks MCP. */
  readonly includes: (resource: string) => boolean
  readonly scopes: readonly OfferedScope[]
}

/** Treats a server's addresses, one per profile, as a single audience: a token is valid for all of a person's accounts. */
export function resourcesOf(publicUrl: string, scopes: readonly OfferedScope[]): Resources {
  const audience = `${publicUrl}/mcp`
  return {
    audience,
    scopes,
    includes(resource) {
      if (resource === audience) return true
      const profile = resource.startsWith(`${audience}/`) ? resource.slice(audience.length + 1) : ''
      return isProfileName(profile)
    },
  }
}

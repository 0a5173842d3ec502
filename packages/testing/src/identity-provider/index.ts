export { startIdentityProvider, type IdentityProvider, type IdentityProviderOptions, type KnownClient } from './identity-provider.ts'
export type { KnownPerson } from './sign-in.ts'
export type { TokenOptions } from './signed-tokens.ts'

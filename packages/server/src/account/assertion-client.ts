import { systemClock } from '@mcp-toolkits/core/base'
import { type Message, rememberSecret, sentence, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { Secret } from '@mcp-toolkits/core/upstream'
import { importPKCS8, SignJWT } from 'jose'
import type { ServiceAccountVariables, SignInStep } from './account.ts'
import { type OAuthClient, oauthClient, type OAuthClientOptions } from './login/oauth-client.ts'
import type { ServiceAccount } from './service-account.ts'

/** An assertion's lifetime, in seconds: the maximum that Google accepts. */
const lifetimeSeconds = 3_600

export interface AssertionClientOptions extends OAuthClientOptions {
  readonly variables: ServiceAccountVariables
  /** Error details that tell the operator where to look if the provider refuses an assertion. */
  readonly details: SignInStep['details']
}

/**
 * Requests a service account's tokens with signed assertions instead of refresh tokens: https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 */
export function assertionClient(account: ServiceAccount, options: AssertionClientOptions): Pick<OAuthClient, 'refresh'> {
  const { exchangeAssertion } = oauthClient(options)
  const { provider, variables, details } = options
  return {
    async refresh(_, signal) {
      const result = await exchangeAssertion(await signAssertion(account, options), signal)
      if ('refused' in result) throw new Unauthenticated(refusalText(result.refused, account, { name: provider.name, variables }), details)
      return result
    },
  }
}

async function signAssertion(
  { email, privateKey, keyId, subject, scopes }: ServiceAccount,
  { provider, target, variables, details, clock = systemClock }: AssertionClientOptions,
): Promise<string> {
  const now = Math.floor(clock.now() / 1_000)
  const scope = scopes.map((each) => provider.scopeSpelling?.encode(each) ?? each).join(' ')
  const claims = new SignJWT({ scope, ...(subject !== undefined && { sub: subject }) })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(email)
    .setAudience(target.tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds)
  const key = await importKey(privateKey).catch(() => {
    throw new Unauthenticated(sentence`The private_key in ${{ variable: variables.key }} cannot be used. Download a new key file.`, details)
  })
  const assertion = await claims.sign(key)
  rememberSecret(assertion)
  return assertion
}

const importKey = (key: Secret) => importPKCS8(key.reveal(), 'RS256')

/** The remedy for an error code: https://developers.google.com/identity/protocols/oauth2/service-account#error-codes */
function refusalText(
  code: string,
  { email, subject, scopes }: ServiceAccount,
  { name, variables }: { readonly name: string; readonly variables: ServiceAccountVariables },
): Message {
  if (code === 'invalid_scope')
    return sentence`${name} does not know one of the scopes ${scopes.join(', ')}. Check ${{ variable: variables.scopes }}.`
  if (subject !== undefined && ['unauthorized_client', 'access_denied'].includes(code)) {
    return sentence`${name} does not let the service account ${email} act for ${subject} with the scopes ${scopes.join(', ')}. An administrator of the organization allows that in the Admin console, under Security, API controls, Domain-wide delegation; or change ${{ variable: variables.subject }}.`
  }
  const person = subject === undefined ? '' : `, or ${subject} is not a user in the organization`
  return sentence`${name} refused the service account ${email} (${code}): the account or its key was deleted, or this machine's clock is wrong${person}. Check ${{ variable: variables.key }}.`
}

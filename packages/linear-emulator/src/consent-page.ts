import { document, type Html } from '@mcp-toolkits/emulator/pages'
import { html } from 'hono/html'
import { wordsFor, type OAuthClient } from './oauth-clients.ts'

/** What the person is asked. */
export interface Question {
  readonly client: OAuthClient
  readonly scopes: readonly string[]
  readonly redirectUri: string
}

/** The page on which a person grants an application access, or refuses it; `ticket` names the question, once. */
export function consentPage({ client, scopes, redirectUri }: Question, ticket: string): Html {
  return document(
    `Give ${client.name} access?`,
    html`<p><strong>This is not the service of the vendor.</strong> It is a workspace on this machine.</p>
      <p>${client.name} asks for access to Lodestar as Robin Vance. It may then:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${wordsFor(scope)} (<code>${scope}</code>)</li>`)}
      </ul>
      <p>You return to <code>${new URL(redirectUri).host}</code>.</p>
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${ticket}" />
        <p class="row">
          <button class="main" name="decision" value="allow">Allow</button>
          <button name="decision" value="refuse">Refuse</button>
        </p>
      </form>`,
  )
}

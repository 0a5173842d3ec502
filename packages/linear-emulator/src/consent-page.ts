import { html } from 'hono/html'
import { wordsFor, type OAuthClient } from './oauth-clients.ts'

/** What the person is asked. */
export interface Question {
  readonly client: OAuthClient
  readonly scopes: readonly string[]
  readonly redirectUri: string
  /** Names this question, once. */
  readonly ticket: string
}

/** The page on which a person grants an application access, or refuses it. No script. */
export function consentPage({ client, scopes, redirectUri, ticket }: Question) {
  return page(
    `Give ${client.name} access?`,
    html`<p><strong>This is not the service of the vendor.</strong> It is a workspace on this machine.</p>
      <p>${client.name} asks for access to Lodestar as Robin Vance. It may then:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${wordsFor(scope)} (<code>${scope}</code>)</li>`)}
      </ul>
      <p>You return to <code>${new URL(redirectUri).host}</code>.</p>
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${ticket}" />
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="refuse">Refuse</button>
      </form>`,
  )
}

/** The page that says why there is nothing to decide. */
export const problemPage = (problem: string) => page('This cannot be authorized', html`<p role="alert">${problem}</p>`)

function page(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/__emulator/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}

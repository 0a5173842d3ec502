import { document, type Html } from '@mcp-toolkits/emulator/pages'
import { html } from 'hono/html'
import { viewer } from '../people.ts'
import type { Question } from './request.ts'
import { isOptional, wordsFor } from './scopes.ts'

/** The page on which a person grants an application access, part of it, or none; `ticket` names the question, once. */
export function consentPage({ client, scopes, redirectUri, picking }: Question, ticket: string): Html {
  return document(
    `Give ${client.name} access?`,
    html`<p><strong>This is not Google.</strong> It is a storage on this machine.</p>
      <p>${client.name} asks for access as ${viewer.displayName} (${mail(viewer.email)}). It may then:</p>
      <form method="post" action="/o/oauth2/v2/auth">
        <input type="hidden" name="ticket" value="${ticket}" />
        <ul class="plain items">
          ${scopes.map((scope, index) => scopeLine(scope, { index, isAlone: scopes.length === 1 }))}
        </ul>
        ${picking === undefined ? '' : html`<p>You choose the files on the next page.</p>`}
        <p>You return to <code>${new URL(redirectUri).host}</code>.</p>
        <p class="row">
          <button class="main" name="decision" value="allow">Allow</button>
          <button name="decision" value="refuse">Refuse</button>
        </p>
      </form>`,
  )
}

/** An address that breaks behind its sign, where it has to. */
function mail(address: string): Html {
  const [name = '', domain = ''] = address.split('@')
  return html`${name}@<wbr />${domain}`
}

/** What is asked for alone is not ticked: to refuse it is to refuse. */
function scopeLine(scope: string, { index, isAlone }: { readonly index: number; readonly isAlone: boolean }): Html {
  const words = html`${wordsFor(scope)}<small>${scope}</small>`
  if (isAlone || !isOptional(scope)) return html`<li><span>${words}</span></li>`
  return html`<li>
    <input type="checkbox" name="scope" value="${scope}" id="scope-${index}" checked />
    <label for="scope-${index}">${words}</label>
  </li>`
}

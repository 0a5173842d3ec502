import { createHash, randomBytes } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { html, raw } from 'hono/html'
import { loopbackOnly } from './listen.ts'
import type { Rule, Rules } from './rules.ts'

/** Style of all pages; follows the color scheme and fits narrow windows. */
export const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentcolor 30%, transparent);
  --accent: light-dark(#0b57d0, #a8c7fa); --on-accent: light-dark(#fff, #062e6f) }
html { scroll-padding-bottom: 5rem }
body { margin: 0 auto; max-width: 48rem; padding: 1rem }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: break-word }
p, li { overflow-wrap: break-word }
.whole { white-space: nowrap }
button, input, select { font: inherit }
button { border: 1px solid currentcolor; border-radius: .4rem; background: transparent; color: var(--accent); padding: .4rem .9rem; min-height: 2.5rem; cursor: pointer }
button:hover { background: color-mix(in srgb, var(--accent) 12%, transparent) }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
button.main:hover { background: color-mix(in srgb, var(--accent) 85%, currentcolor) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
input[type=search] { border: 1px solid currentcolor; border-radius: .4rem; background: transparent; color: inherit; padding: .4rem .6rem; min-height: 2.5rem; box-sizing: border-box; flex: 1 1 12rem; min-width: 0 }
input[type=file] { max-width: 100% }
select { border: 1px solid currentcolor; border-radius: .4rem; background: transparent; color: inherit; padding: .4rem .6rem; min-height: 2.5rem; box-sizing: border-box; max-width: 100% }
option { color: canvastext; background: canvas }
input[type=checkbox], input[type=radio] { width: 1.5rem; height: 1.5rem; accent-color: var(--accent); flex: none; margin: 0 }
fieldset { border: 1px solid var(--line); border-radius: .6rem; margin: 1rem 0; padding: .5rem 1rem; min-width: 0 }
legend { font-weight: 600; padding: 0 .4rem; overflow-wrap: anywhere }
[role=alert], [role=status] { border-left: .3rem solid var(--accent); padding: .5rem .8rem; background: color-mix(in srgb, currentcolor 8%, transparent) }
[role=alert] { border-color: light-dark(#b3261e, #f2b8b5) }
.plain { list-style: none; margin: 0; padding: 0 }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .8rem 0 }
.last { position: sticky; bottom: 0; background: canvas; border-top: 1px solid var(--line); padding: .8rem 0; margin: 0 }
.path li { display: flex; align-items: center; gap: .5rem }
.path li + li::before { content: "/" / "" }
.items li { display: flex; align-items: center; gap: .8rem; padding: .35rem 0; border-top: 1px solid var(--line) }
.items li:first-child { border-top: 0 }
.items label, .items li > span { flex: 1; min-width: 0; overflow-wrap: anywhere; padding: .3rem 0 }
.items small { display: block; color: color-mix(in srgb, currentcolor 75%, transparent) }
`

/** Hash of the inline style for the content security policy. */
const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** A piece of HTML. */
export type Html = ReturnType<typeof html>

/** The style verbatim, because the policy's hash covers every character. */
const styleElement = raw(`<style>${style}</style>`)

/** A complete page with a title and a body, without scripts or external resources. */
export function document(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}

/** An error page. */
export const problemPage = (title: string, problem: string): Html => document(title, html`<p role="alert">${problem}</p>`)

/** An emulator's table, as JSON at `/__emulator/<name>`. */
export interface PageTable {
  readonly name: string
  readonly title: string
  readonly list: (range: { readonly after: number; readonly limit: number }) => readonly object[]
}

/** The content of an emulator's page. */
export interface PageContent {
  /** The emulated API. */
  readonly service: string
  readonly rules: Rules
  readonly tables: readonly PageTable[]
}

/** An emulator's page, which links to its workspace, tables and rules. */
export function renderPage({ service, tables }: PageContent) {
  const shown: readonly Pick<PageTable, 'name' | 'title'>[] = [...tables, { name: 'rules', title: 'What it does, and why' }]
  return document(
    `${service} emulator`,
    html`<p><strong>This is not the vendor's service.</strong> It runs on this machine and forwards nothing to the vendor.</p>
      <p><a href="/workspace">The workspace</a> shows its data, and the requests with their bodies, while programs change it.</p>
      <p>As JSON:</p>
      <ul>
        ${shown.map(({ name, title }) => html`<li><a href="/__emulator/${name}">${title}</a></li>`)}
      </ul>`,
  )
}

/** Rules for `/__emulator/rules`. */
export const ruleRows = (rules: Rules) => Object.entries<Rule>(rules).map(([id, rule]) => ({ id, ...rule, evidence: evidenceOf(rule) }))

function evidenceOf(rule: Rule): string {
  if (rule.verdict === 'own') return ''
  if (rule.verdict === 'assumed') return rule.because
  return rule.verdict === 'seen' ? `${rule.by}: ${rule.url}` : rule.url
}

/** One-time tokens for forms, so that each form can be submitted once, and only if it was shown. */
export interface Tickets<T> {
  readonly issue: (request: T) => string
  /** Uses up a ticket and returns its request; undefined for a used, expired or unknown ticket. */
  readonly take: (ticket: string) => T | undefined
}

/** Maximum number of open tickets; the oldest is dropped first. */
const maxTickets = 100

export function openTickets<T>({ now, lifetimeMs }: { readonly now: () => number; readonly lifetimeMs: number }): Tickets<T> {
  const open = new Map<string, { readonly request: T; readonly expiresAt: number }>()
  return {
    issue(request) {
      const ticket = randomBytes(24).toString('base64url')
      open.set(ticket, { request, expiresAt: now() + lifetimeMs })
      const [oldest] = open.keys()
      if (open.size > maxTickets && oldest !== undefined) open.delete(oldest)
      return ticket
    },
    take(ticket) {
      const found = open.get(ticket)
      open.delete(ticket)
      return found === undefined || found.expiresAt <= now() ? undefined : found.request
    },
  }
}

/**
 * Sets a content security policy that allows only the page and its forms. `redirectOrigin` is the origin of the final redirect: browsers
 * apply form-action to redirects too.
 */
export function guardPages(
  context: Context,
  { forms = true, redirectOrigin }: { readonly forms?: boolean; readonly redirectOrigin?: string } = {},
): void {
  const targets = forms ? ["'self'", ...(redirectOrigin === undefined ? [] : [redirectOrigin])].join(' ') : "'none'"
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
  )
  context.header('x-content-type-options', 'nosniff')
  // With no-referrer, browsers send `Origin: null` for forms.
  context.header('referrer-policy', 'same-origin')
  context.header('cache-control', 'no-store')
}

/** Refuses in-process requests, which have no Host, so that a program that only has `fetch` cannot answer for the person. */
const networkOnly: MiddlewareHandler = async (context, next) =>
  context.req.header('host') === undefined ? context.text('Open this in a browser.\n', 403) : next()

/** Refuses forms from other origins. */
const sameOrigin: MiddlewareHandler = async (context, next) => {
  const isOwn = context.req.method === 'GET' || context.req.header('origin') === `http://${context.req.header('host') ?? ''}`
  return isOwn ? next() : context.text('Submit the form on the page itself.\n', 403)
}

/** Middleware for pages that a person answers: allows only a browser on this machine, and only same-origin forms. */
export const browserOnly: readonly [MiddlewareHandler, MiddlewareHandler, MiddlewareHandler] = [networkOnly, loopbackOnly, sameOrigin]

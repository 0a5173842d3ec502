import { createHash } from 'node:crypto'
import { printable, redact } from '@mcp-toolkits/core/errors'

/** The content of a page for a person to read in the browser. */
export interface Page {
  readonly status: number
  readonly title: string
  readonly paragraphs: readonly string[]
  /** Terms and their values. */
  readonly facts?: readonly Fact[]
  readonly sections?: readonly PageSection[]
  readonly forms?: readonly PageForm[]
}

/** Adds a paragraph to a page, if there is one. */
export function withNote(page: Page, note: string | undefined): Page {
  return note === undefined ? page : { ...page, paragraphs: [...page.paragraphs, note] }
}

export type Fact = readonly [term: string, text: string]

/** A section of a page under a heading. */
export interface PageSection {
  readonly heading: string
  readonly facts: readonly Fact[]
  readonly forms: readonly PageForm[]
}

/** A form with one button. */
export interface PageForm {
  /** A path on this server. */
  readonly action: string
  readonly button: string
  /** The button's label for people who cannot see its context. */
  readonly label?: string
  /** True for the page's main action. */
  readonly isMain?: boolean
  /** Hidden fields, sent unchanged. */
  readonly hidden?: Readonly<Record<string, string>>
  /** A field for a secret; its text is never shown again. */
  readonly secret?: { readonly name: string; readonly label: string; readonly hint: string }
}

/** Styles that match the emulators' pages, because people go from one to the other; the two share no code. */
const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --accent: light-dark(#0b57d0, #a8c7fa); --on-accent: light-dark(#fff, #062e6f) }
html { background: canvas; color: canvastext }
body { margin: 0 auto; max-width: 48rem; padding: 1rem }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; line-height: 1.25; overflow-wrap: anywhere }
p { margin: .5rem 0; overflow-wrap: break-word }
section { border-top: 1px solid color-mix(in srgb, currentcolor 30%, transparent); margin-top: 1.5rem }
dl { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: .3rem 1rem; margin: 1rem 0 }
dt { color: color-mix(in srgb, currentcolor 75%, transparent) }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
form { margin: 1rem 0 }
button, input { font: inherit; box-sizing: border-box; min-height: 2.75rem; border: 1px solid currentcolor; border-radius: .4rem }
input { display: block; width: 100%; margin: .3rem 0 1rem; padding: .4rem .6rem; background: transparent; color: inherit }
button { padding: .4rem 1rem; background: transparent; color: var(--accent); cursor: pointer }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
[role=alert], [role=status] { border-left: .3rem solid var(--accent); padding: .1rem .8rem; background: color-mix(in srgb, currentcolor 8%, transparent) }
[role=alert] { border-color: light-dark(#b3261e, #f2b8b5) }`

const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/**
 * A page's headers. Its forms may be sent only to this server, and to `formTargets`, the origins that responses may redirect to: browsers
 * check a form's redirects, too.
 */
export function pageHeaders({ forms = [], sections = [] }: Page, formTargets: readonly string[] = []): Readonly<Record<string, string>> {
  const hasForms = forms.length > 0 || sections.some((section) => section.forms.length > 0)
  const formAction = hasForms ? ["'self'", ...formTargets].join(' ') : "'none'"
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    // The URL may contain a code. Without any referrer, browsers would not tell that a form comes from a page of this server.
    'referrer-policy': hasForms ? 'same-origin' : 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** The page as HTML without scripts. Its role makes screen readers announce the text: https://www.w3.org/WAI/ARIA/apg/patterns/alert/ */
export function renderPage({ status, title, paragraphs, facts = [], sections = [], forms = [] }: Page): string {
  const text = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')
  // A page that asks for a decision is read in full, not announced like an alert.
  const isNews = status >= 400 || (forms.length === 0 && sections.length === 0)
  const role = status < 400 ? 'status' : 'alert'
  const parts = [
    ...(paragraphs.length === 0 ? [] : [isNews ? `<div role="${role}">\n${text}\n</div>` : text]),
    ...renderFacts(facts),
    ...forms.map((form, index) => renderForm(form, index)),
    ...sections.map(renderSection),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.join('\n')}
</main>
</body>
</html>
`
}

function renderSection({ heading, facts, forms }: PageSection, index: number): string {
  const id = `section-${index}`
  const content = [...renderFacts(facts), ...forms.map((form) => renderForm(form, index))].join('\n')
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${escapeHtml(heading)}</h2>\n${content}\n</section>`
}

function renderFacts(facts: readonly Fact[]): string[] {
  const rows = facts.map(([term, text]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(text)}</dd>`)
  return rows.length === 0 ? [] : [`<dl>\n${rows.join('\n')}\n</dl>`]
}

function renderForm({ action, button, label, isMain = false, hidden = {}, secret }: PageForm, index: number): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`,
  )
  const named = label === undefined ? '' : ` aria-label="${escapeHtml(label)}"`
  const parts = [
    ...fields,
    ...(secret ? [renderSecretField(secret, index)] : []),
    `<button${isMain ? ' class="main"' : ''}${named}>${escapeHtml(button)}</button>`,
  ]
  return `<form method="post" action="${escapeMarkup(action)}">\n${parts.join('\n')}\n</form>`
}

function renderSecretField({ name, label, hint }: NonNullable<PageForm['secret']>, index: number): string {
  const [field, description] = [`field-${index}`, `hint-${index}`]
  return `<label for="${field}">${escapeHtml(label)}</label>
<p id="${description}">${escapeHtml(hint)}</p>
<input type="password" id="${field}" name="${escapeMarkup(name)}" aria-describedby="${description}" autocomplete="off" spellcheck="false" required>`
}

/** Text for a person, without secrets and with all invisible characters shown. */
function escapeHtml(text: string): string {
  return escapeMarkup(printable(redact(text)))
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

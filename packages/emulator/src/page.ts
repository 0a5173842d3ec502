import { html } from 'hono/html'
import type { Behaviour } from './behaviours.ts'
import { document, type Html } from './pages/document.ts'

/** A list that an emulator shows on its page and as JSON at `/__emulator/<name>`. */
export interface Listing {
  readonly name: string
  readonly title: string
  /** The fields that the page shows. */
  readonly columns: readonly string[]
  readonly list: (range: { readonly after: number; readonly limit: number }) => readonly object[]
  /** Newest first. */
  readonly latest: (count: number) => readonly object[]
}

/** What there is to show about an emulator. */
export interface Shown {
  /** Whose API this stands in for. */
  readonly service: string
  readonly behaviours: readonly Behaviour[]
  readonly listings: readonly Listing[]
}

const shown = 50

/** The page of an emulator: what it is, what arrived, and what it claims about its vendor. No script, nothing to send. */
export function renderPage({ service, behaviours, listings }: Shown) {
  return document(
    `${service} emulator`,
    html`<p><strong>This is not the service of the vendor.</strong> It runs on this machine and sends nothing on.</p>
      ${listings.map(listingSection)}
      ${section('behaviours', 'What it does, and why', table(['rule', 'does', 'basis', 'source'], behaviours))}`,
  )
}

function listingSection({ name, title, columns, latest }: Listing) {
  const rows = latest(shown)
  const json = html`<p>The latest ${shown} at most. All of them as JSON: <a href="/__emulator/${name}">/__emulator/${name}</a></p>`
  return section(name, title, rows.length === 0 ? html`<p>None yet.</p>` : html`${json}${table(columns, rows)}`)
}

function section(id: string, title: string, content: Html) {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`
}

function table(columns: readonly string[], rows: readonly object[]) {
  const cells = (row: object) => {
    const values = new Map<string, unknown>(Object.entries(row))
    return columns.map((column) => html`<td>${cell(values.get(column))}</td>`)
  }
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column.replaceAll('_', ' ')}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

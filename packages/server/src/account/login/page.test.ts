import { rememberSecret } from '@mcp-toolkits/core/errors'
import { expect, it } from 'vitest'
import { type Page, pageHeaders, renderPage } from './page.ts'

const markup = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`
const hostile = `${markup}\u202Egnp`

/** A page on which every text comes from someone else. */
const page: Page = {
  status: 200,
  title: hostile,
  paragraphs: [hostile],
  facts: [[hostile, hostile]],
  forms: [
    {
      action: markup,
      button: hostile,
      label: hostile,
      hidden: { [markup]: markup },
      secret: { name: markup, label: hostile, hint: hostile },
    },
  ],
  sections: [{ heading: hostile, facts: [[hostile, hostile]], forms: [{ action: markup, button: hostile, hidden: { a: markup } }] }],
}

it('shows every text as a text', () => {
  const html = renderPage(page)
  expect(html).not.toMatch(/<script|<img|\u202E/)
  const quotes = html.slice(html.indexOf('</style>')).match(/="[^"]*"/g) ?? []
  expect(quotes.filter((value) => /[<>']/.test(value))).toEqual([])
  expect(html.match(/<form /g)).toHaveLength(2)
  expect(html).toContain('&#38;lt;')
})

it('shows no secret in a text', () => {
  rememberSecret('canary-secret')
  const html = renderPage({ status: 400, title: 'It holds canary-secret', paragraphs: ['canary-secret'], facts: [['a', 'canary-secret']] })
  expect(html).not.toContain('canary')
})

it.each([
  [{ status: 200 }, 'role="status"'],
  [{ status: 403 }, 'role="alert"'],
  [{ status: 400, forms: [{ action: '/a', button: 'Send' }] }, 'role="alert"'],
])('announces what has happened (%j)', (more, role) => {
  expect(renderPage({ title: 'T', paragraphs: ['P'], ...more })).toContain(role)
})

it('does not announce what asks for a decision', () => {
  expect(renderPage({ status: 200, title: 'T', paragraphs: ['P'], forms: [{ action: '/a', button: 'Send' }] })).not.toContain('role="')
})

it('lets forms be sent where they belong, and nothing from a page without forms', () => {
  const bare: Page = { status: 200, title: 'T', paragraphs: [] }
  const form = { action: '/a', button: 'Send' }
  const actionOf = (headers: Readonly<Record<string, string>>) => /form-action ([^;]*)/.exec(headers['content-security-policy'] ?? '')?.[1]
  expect(actionOf(pageHeaders(bare, ['https:']))).toBe("'none'")
  expect(actionOf(pageHeaders({ ...bare, forms: [form] }))).toBe("'self'")
  expect(actionOf(pageHeaders({ ...bare, sections: [{ heading: 'H', facts: [], forms: [form] }] }, ['https:']))).toBe("'self' https:")
  // Without a referrer, browsers also send no origin with a form.
  expect([pageHeaders(bare)['referrer-policy'], pageHeaders({ ...bare, forms: [form] })['referrer-policy']]).toEqual([
    'no-referrer',
    'same-origin',
  ])
})

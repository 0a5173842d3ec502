import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** What a person reads in the browser at the end of a sign-in. */
export interface Page {
  readonly status: number
  readonly title: string
  readonly paragraphs: readonly string[]
}

/** The look of the pages of the emulators, which share no code with this: a person goes from one to the other. */
const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --accent: light-dark(#0b57d0, #a8c7fa) }
body { margin: 0 auto; max-width: 48rem; padding: 1rem }
h1 { font-size: 1.6rem; line-height: 1.25 }
p { margin: .5rem 0; overflow-wrap: break-word }
[role=alert], [role=status] { border-left: .3rem solid var(--accent); padding: .1rem .8rem; background: color-mix(in srgb, currentcolor 8%, transparent) }
[role=alert] { border-color: light-dark(#b3261e, #f2b8b5) }`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  // The address holds the code.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
}

/** Answers a browser; resolves when the answer has left or the browser is gone. No script is needed, and none would run. */
export async function showPage(response: ServerResponse, page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  response.once('close', () => {
    resolve(undefined)
  })
  if (response.destroyed) return
  response.writeHead(page.status, headers).end(htmlOf(page))
  await promise
}

/** https://www.w3.org/WAI/ARIA/apg/patterns/alert/ for what went wrong. */
function htmlOf({ status, title, paragraphs }: Page): string {
  const role = status < 400 ? 'status' : 'alert'
  const text = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<div role="${role}">
${text}
</div>
</main>
</body>
</html>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

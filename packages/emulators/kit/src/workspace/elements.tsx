import type { Content } from './workspace.ts'

/** A time as a person reads it, in UTC; the exact one is in its title. */
export function Time({ at }: { readonly at: string }) {
  const time = new Date(at)
  const isTime = Number.isFinite(time.getTime())
  return (
    <time datetime={at} title={at}>
      {isTime ? `${time.toISOString().slice(0, 10)} ${time.toISOString().slice(11, 16)}` : at}
    </time>
  )
}

/** The call that made a change: the tool, or the API's operation if the program does not name its tool. */
export function Call({ call, operation }: { readonly call: string | null; readonly operation: string }) {
  return call === null ? <code title="An operation of the API">{operation}</code> : <code title={`A tool, by ${operation}`}>{call}</code>
}

/** A link to the next part of a list; nothing at its end. */
export function More({ href, label = 'More' }: { readonly href: string | undefined; readonly label?: string }) {
  return href === undefined ? null : (
    <p>
      <a class="button" href={href}>
        {label}
      </a>
    </p>
  )
}

/** The address of a page outside, as a link only when a browser would load it from the web. */
export function WebLink({ url, children }: { readonly url: string; readonly children?: Content | string }) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
  return isWeb ? (
    <a href={url} rel="noopener noreferrer nofollow" dir="auto">
      {children ?? url}
    </a>
  ) : (
    <span dir="auto">{children ?? url}</span>
  )
}

/** Text as it was written. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <div class="prose" dir="auto">
      {text}
    </div>
  )
}

export interface FactProps {
  readonly name: string
  readonly children?: unknown
}

/** One row of a list of facts. */
export function Fact({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

/** A count in words: `1 issue`, `3 issues`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const tokens = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with one member a line. Its tokens stay as they were written, so that no number changes; text that is no JSON stays as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  // The text so far is never looked at: that would copy it for every token.
  const pieces: string[] = []
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(tokens)) {
    const [opened, closes] = [isOneOf('[{', last), isOneOf(']}', token)]
    if (closes) depth -= 1
    if (closes ? !opened : opened || last === ',') pieces.push(`\n${'  '.repeat(depth)}`)
    pieces.push(token === ':' ? ': ' : token)
    if (isOneOf('[{', token)) depth += 1
    last = token
  }
  return pieces.join('')
}

const isOneOf = (marks: string, token: string) => token.length === 1 && marks.includes(token)

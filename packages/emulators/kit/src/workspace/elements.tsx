import { createContext, useContext } from 'hono/jsx'
import type { Content, PageRequest } from './workspace.ts'

/** The emulator's clock, for times on a page. */
export const PageClock = createContext<() => number>(Date.now)

/**
 * A time in readable form: `2 min ago`, or its date if it is long ago or in the future. The pages' script contains a copy, so the function
 * must not refer to anything outside itself.
 */
export function timeText(at: string, now: number): string {
  const time = Date.parse(at)
  if (!Number.isFinite(time)) return at
  const seconds = Math.round((now - time) / 1000)
  if (seconds < -5 || seconds > 6 * 86_400) return new Date(time).toISOString().slice(0, 10)
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`
}

/** A time, with the exact time in UTC as its title. */
export function Time({ at }: { readonly at: string }) {
  const now = useContext(PageClock)
  return (
    <time datetime={at} title={at}>
      {timeText(at, now())}
    </time>
  )
}

/** Number of avatar colours. */
const hues = 6

/** The class for a name's colour, which is always the same. */
const hueOf = (name: string) => `hue${Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % hues}`

/** A person: their initials in a colour, and their name. */
export function Person({ name, none = 'unassigned' }: { readonly name: string | null; readonly none?: string }) {
  if (name === null) return <span class="soft">{none}</span>
  const initials = name.split(/[\s.@_-]+/u, 2).map((word) => Array.from(word)[0] ?? '')
  return (
    <span class="person">
      <span class={`avatar ${hueOf(name)}`} aria-hidden="true">
        {initials.join('').toUpperCase()}
      </span>
      <bdi>{name}</bdi>
    </span>
  )
}

/** The call that made a change: the tool, or the API's operation if the program does not name its tool. */
export function Call({ call, operation }: { readonly call: string | null; readonly operation: string }) {
  return call === null ? <code title="An operation of the API">{operation}</code> : <code title={`A tool, by ${operation}`}>{call}</code>
}

/** A link to the next part of a list; empty at the list's end. */
export function More({ href, label = 'More' }: { readonly href: string | undefined; readonly label?: string }) {
  return href === undefined ? null : (
    <p>
      <a class="button" href={href}>
        {label}
      </a>
    </p>
  )
}

/** The pages above this one. */
export function Trail({ steps }: { readonly steps: readonly { readonly href: string; readonly name: string }[] }) {
  if (steps.length === 0) return null
  return (
    <nav class="path" aria-label="Path">
      {steps.map(({ href, name }, index) => (
        <>
          {index > 0 && <span aria-hidden="true">/</span>}
          <a href={href} dir="auto">
            {name}
          </a>
        </>
      ))}
    </nav>
  )
}

/** An address outside the workspace, as a link only if it is on the web. */
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

/** A choice among one property's values. */
export interface FilterChoice {
  readonly name: string
  /** Label of the option that allows all: `Any state`. */
  readonly any: string
  /** Values, or values with their names. */
  readonly options: readonly (string | readonly [value: string, name: string])[]
}

export interface FilterProps {
  /** The page that lists the matches. */
  readonly action: string
  readonly query: PageRequest['query']
  /** Label of the search field: `Search issues`. */
  readonly search: string
  readonly choices?: readonly FilterChoice[]
}

/** A form that filters a list; it sends its fields in the address. */
export function Filters({ action, query, search, choices = [] }: FilterProps) {
  const isSet = ['q', ...choices.map(({ name }) => name)].some((name) => query(name) !== undefined)
  return (
    <form class="filters" role="search" action={action}>
      <input type="search" name="q" id="filter-q" aria-label={search} placeholder={search} value={query('q') ?? ''} />
      {choices.map(({ name, any, options }) => (
        <select name={name} id={`filter-${name}`} aria-label={any.replace('Any ', '')}>
          <option value="">{any}</option>
          {options.map((option) => {
            const [value, label] = typeof option === 'string' ? [option, option] : option
            return (
              <option value={value} selected={query(name) === value}>
                {label}
              </option>
            )
          })}
        </select>
      ))}
      <button type="submit">Show</button>
      {isSet && <a href={action}>Clear</a>}
    </form>
  )
}

/** A list's address with a request's filters, and with other parameters. */
export function filteredPath(
  path: string,
  query: PageRequest['query'],
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const parameters = new URLSearchParams(more)
  for (const name of names) {
    const value = query(name)
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

export interface FactProps {
  readonly name: string
  readonly children?: unknown
}

/** One row in a list of facts. */
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

/** JSON with one member per line. Tokens stay as written, so that no number changes; other text stays as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  // Pieces are joined once, at the end: reading partial text would copy it for every token.
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

/** A page loaded by a browser. */
export interface Page {
  /** Final address after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The fields that a person fills in, and the button that they press. */
export type FormAnswer = Readonly<Record<string, string | readonly string[]>>

/** A person at a browser without scripts, which keeps cookies, follows redirects and sends forms. */
export interface PersonBrowser {
  /** Loads a page, following redirects. */
  readonly open: (url: string) => Promise<Page>
  /** Sends the first form on a page, with the values that the page has filled in and the answer. */
  readonly submit: (page: Page, answer: FormAnswer) => Promise<Page>
  /** Opens a page and sends its form, then the form of each next page, until `answer` is undefined or a page has no form. */
  readonly walk: (url: string, answer: (page: Page) => FormAnswer | undefined) => Promise<Page>
  /** The cookies that the browser sends to an address, as a header. */
  readonly cookies: (url: string) => string
}

export interface BrowserOptions {
  /** Addresses that are not loaded: a redirect there results in an empty page. */
  readonly stopsAt?: (url: string) => boolean
}

const maxRedirects = 20

/** A new browser, without cookies. */
export function openBrowser({ stopsAt = () => false }: BrowserOptions = {}): PersonBrowser {
  const jar = openJar()
  const load = async (start: string, init: RequestInit = {}): Promise<Page> => {
    let [url, current] = [start, init]
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const headers = new Headers(current.headers)
      headers.set('cookie', jar.header(url))
      const response = await fetch(url, { ...current, headers, redirect: 'manual' })
      jar.store(url, response.headers.getSetCookie())
      const location = response.headers.get('location')
      const text = await response.text()
      if (location === null || response.status < 300 || response.status >= 400)
        return { url, status: response.status, headers: response.headers, text }
      url = new URL(location, url).href
      if (stopsAt(url)) return { url, status: response.status, headers: response.headers, text: '' }
      // Browsers follow 301, 302 and 303 with a GET; these pages use no other redirects.
      current = {}
    }
    throw new Error(`There are more than ${maxRedirects} redirects from ${start}.`)
  }
  const submit = (page: Page, answer: FormAnswer) => {
    const form = formIn(page)
    if (!form) throw new Error(`There is no form on ${page.url}: ${page.text.slice(0, 500)}`)
    const body = new URLSearchParams(form.fields.filter(([name]) => !Object.hasOwn(answer, name)))
    for (const [name, values] of Object.entries(answer)) for (const value of [values].flat()) body.append(name, value)
    return load(form.action, { method: 'POST', body, headers: { origin: new URL(page.url).origin } })
  }
  return {
    open: (url) => load(url),
    cookies: jar.header,
    submit,
    async walk(url, answer) {
      let page = await load(url)
      while (formIn(page)) {
        const answered = answer(page)
        if (!answered) break
        page = await submit(page, answered)
      }
      return page
    },
  }
}

interface Form {
  readonly action: string
  readonly fields: readonly [name: string, value: string][]
}

/** A page's first form, and its filled-in fields. */
function formIn({ url, text }: Page): Form | undefined {
  const [, start = '', content = ''] = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(text) ?? []
  if (content === '') return undefined
  const inputs = [...content.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag)
  const filled = inputs.filter((tag) => !/type="(checkbox|radio)"/.test(tag) || /\schecked\b/.test(tag))
  return {
    action: new URL(attributeOf(start, 'action') ?? url, url).href,
    fields: filled.flatMap((tag): [string, string][] => {
      const name = attributeOf(tag, 'name')
      return name === undefined ? [] : [[name, attributeOf(tag, 'value') ?? '']]
    }),
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value?.replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, code: string | undefined, entity: string | undefined) =>
    code === undefined ? (entities.get(entity) ?? '') : String.fromCharCode(Number(code)),
  )
}

const entities = new Map<string | undefined, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
])

interface Jar {
  readonly header: (url: string) => string
  readonly store: (url: string, lines: readonly string[]) => void
}

/** Cookies by path and by host, regardless of port. */
function openJar(): Jar {
  const cookies = new Map<string, { readonly host: string; readonly path: string; readonly pair: string }>()
  return {
    header(address) {
      const { hostname, pathname } = new URL(address)
      const matching = [...cookies.values()].filter(({ host, path }) => host === hostname && pathname.startsWith(path))
      return matching.map(({ pair }) => pair).join('; ')
    },
    store(address, lines) {
      const { hostname: host } = new URL(address)
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
        const valueOf = (name: string) => attributes.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
        const path = valueOf('path') ?? '/'
        const key = `${host} ${path} ${pair.split('=')[0] ?? ''}`
        const isOver = valueOf('max-age') === '0' || Date.parse(valueOf('expires') ?? '') < Date.now()
        if (isOver) cookies.delete(key)
        else cookies.set(key, { host, path, pair })
      }
    },
  }
}

export interface LoadedPage {
  readonly status: number
  readonly location: string
  readonly body: string
}

/** Loads one page as a browser does, without following redirects. */
export async function fetchPage(address: URL | string, init: RequestInit = {}): Promise<LoadedPage> {
  const response = await fetch(address, { redirect: 'manual', ...init })
  return { status: response.status, location: response.headers.get('location') ?? '', body: await response.text() }
}

/** Where a request goes, without what tells one thing or person from another. */
export interface Route {
  readonly host: string
  readonly port: number | undefined
  /** The path, with `{id}` for each part that is not a fixed word of the API: `/drive/v3/files/{id}`. */
  readonly template: string
}

/** A version, or a word of letters that is too short for an id. Ids of our vendors have digits or are longer; addresses have signs. */
const fixedPart = /^(?:v\d{1,2}|[a-z]{1,16}|[a-z]{1,12}[A-Z][a-z]{1,12})$/

/** The longest path is that of an upload, with five parts. */
const maxParts = 8

export function routeOf(address: string): Route {
  const url = URL.parse(address)
  if (!url) return { host: 'unknown', port: undefined, template: '/' }
  const parts = url.pathname.split('/').slice(1, maxParts + 1)
  const template = parts.map((part) => (part === '' || fixedPart.test(part) ? part : '{id}')).join('/')
  return { host: url.hostname, port: url.port === '' ? undefined : Number(url.port), template: `/${template}` }
}

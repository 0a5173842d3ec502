/** The cookies of one server. Browsers send those of all ports of a host to each of them, so names hold the server's. */
export interface Cookies {
  /** A header that sets a cookie, which ends after this many seconds, or with the browser. */
  readonly set: (name: string, value: string, seconds: number) => string
  /** A header that deletes a cookie. */
  readonly clear: (name: string) => string
  /** Undefined when the request has none, or several: then another host may have set one. */
  readonly read: (request: Request, name: string) => string | undefined
}

/** With https the names make browsers refuse what another host or an unencrypted page sets: https://www.rfc-editor.org/rfc/rfc6265bis#name-the-__host-prefix */
export function cookies(server: string, { protocol }: Pick<URL, 'protocol'>): Cookies {
  const isSecure = protocol === 'https:'
  const nameOf = (name: string) => `${isSecure ? '__Host-' : ''}${server}-${name}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    set: (name, value, seconds) => `${nameOf(name)}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: (name) => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
    read(request, name) {
      const prefix = `${nameOf(name)}=`
      const [found, ...more] = (request.headers.get('cookie') ?? '').split(';').flatMap((part) => {
        const text = part.trim()
        return text.startsWith(prefix) ? [text.slice(prefix.length)] : []
      })
      return more.length === 0 ? found : undefined
    },
  }
}

import { isIPv6 } from 'node:net'
import { InvalidInput } from '../../errors/errors.ts'
import { quote } from '../../errors/text.ts'

/** True if the operator allowed a non-public host, spelled as in a URL, without a trailing dot. */
export type AllowedHosts = (host: string, port: number) => boolean

/**
 * Reads entries such as `files.example`, `localhost:8080` or `[::1]:8080`; an entry without a port allows every port. Throws `InvalidInput`
 * for an entry that is not a host, such as a URL or a pattern, and for an invalid port.
 */
export function parseAllowedHosts(entries: readonly string[]): AllowedHosts {
  const allowed = entries.map(parseEntry)
  return (host, port) => allowed.some((entry) => entry.host === host && (entry.port ?? port) === port)
}

function parseEntry(entry: string): { readonly host: string; readonly port: number | undefined } {
  const [, name = '', digits] = isIPv6(entry) ? ['', `[${entry}]`] : (/^(\[[^[\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [])
  const port = digits === undefined ? undefined : Number(digits)
  const url = URL.parse(`http://${name}/`)
  if (!url || name.includes('*') || url.href !== `http://${url.host}/` || port === 0 || (port ?? 0) > 65_535) {
    throw new InvalidInput(`${quote(entry)} is not a host that can be allowed. Write host or host:port, such as files.example:8080.`)
  }
  return { host: url.hostname.replace(/\.$/, ''), port }
}

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Environment } from '@mcp-toolkits/core'
import { isProxyFailure } from '@mcp-toolkits/core/no-response'
import { systemClock } from '@mcp-toolkits/core/clock'
import type { Check } from './local-checks.ts'
import { proxyFor } from './proxy.ts'

/** How long a request may take that shows whether a vendor is reachable, in milliseconds. */
const requestMs = 10_000

/** A token that is signed or checked on a machine whose clock differs by more is refused. */
const maxSkewMs = 60_000

/** Asks the vendor's address for anything, without credentials: whether it is reachable, through which proxy, and what time it is there. */
export async function networkChecks(url: URL, environment: Environment): Promise<Check[]> {
  const proxy = proxyFor(url, environment)
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.host}`
  const via = proxy ?? url
  const bare = via.hostname.replace(/^\[|\]$/g, '')
  try {
    if (isIP(bare) === 0) await lookup(bare)
  } catch {
    const what = proxy ? `the proxy ${via.hostname}` : via.hostname
    const fix = proxy
      ? 'Correct HTTPS_PROXY, or ask who runs your network for the address of its proxy.'
      : 'Check the connection and the DNS server. In a network that has a proxy, set HTTPS_PROXY to its address.'
    return [{ name: 'Network', state: 'problem', text: `The name of ${what} cannot be looked up.`, fix }]
  }
  const before = systemClock.now()
  try {
    const response = await fetch(url.origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(requestMs) })
    const now = systemClock.now()
    const network: Check = { name: 'Network', state: 'ok', text: `${url.host} answers${through} (${now - before} ms)` }
    return [network, checkClock(response.headers.get('date'), { now, source: url.host })]
  } catch (error) {
    return [{ name: 'Network', state: 'problem', ...unreachable(error, { url, proxy }) }]
  }
}

/** Compares this machine's clock with the date of a response, which has whole seconds. */
function checkClock(date: string | null, { now, source }: { readonly now: number; readonly source: string }): Check {
  const name = 'Clock'
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return { name, state: 'skipped', text: `${source} did not say what time it is` }
  const skew = now - there
  if (Math.abs(skew) <= maxSkewMs) return { name, state: 'ok', text: `agrees with ${source}` }
  const minutes = Math.round(Math.abs(skew) / 60_000)
  const text = `${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} ${source}. Sign-ins and signatures may be refused.`
  return { name, state: 'problem', text, fix: 'Let the operating system set the time from a time server.' }
}

const certificateFix =
  'A proxy of your network may replace certificates: set NODE_EXTRA_CA_CERTS to the file with its certificate authority, or NODE_USE_SYSTEM_CA to 1 where the system knows it.'

/** What a failed request means, with what to do about it. */
function unreachable(error: unknown, { url, proxy }: { readonly url: URL; readonly proxy: URL | undefined }): Pick<Check, 'text' | 'fix'> {
  const code = codeOf(error)
  if (/CERT|SIGNATURE|^ERR_TLS_|ISSUER/.test(code)) {
    return { text: `The certificate of ${url.host} is not trusted (${code}).`, fix: certificateFix }
  }
  const [what, fix] = proxy
    ? [
        isProxyDown(error) ? `The proxy ${proxy.host}` : `${url.host}, through the proxy ${proxy.host},`,
        'Check HTTPS_PROXY, and whether the proxy runs and allows that host.',
      ]
    : [url.host, 'Check the connection and the firewall. In a network that has a proxy, set HTTPS_PROXY to its address.']
  return { text: `${what} cannot be reached (${code}).`, fix }
}

function isProxyDown(error: unknown): boolean {
  return error instanceof Error && (isProxyFailure(error) || isProxyDown(error.cause))
}

/** The code of an error, or of what caused it. */
function codeOf(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code
    if (/^Proxy response \(\d+\)/.test(current.message)) return current.message
    if (current.name === 'TimeoutError') return 'no answer in time'
  }
  return 'no answer'
}

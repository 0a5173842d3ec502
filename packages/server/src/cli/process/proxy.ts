import http from 'node:http'
import { type Environment, rememberProxy } from '@mcp-toolkits/core/upstream'
import { UsageError } from '../command.ts'

/** This machine's names, which no proxy can reach. */
const thisMachine = ['localhost', '127.0.0.1', '[::1]']

/**
 * Sends every request to a vendor or an identity provider through the proxy that the environment names, except to the hosts in `NO_PROXY`
 * and to this machine. Returns a warning if this Node cannot do that. Throws `UsageError` for a value that is not a proxy's URL. The
 * variables: https://nodejs.org/api/http.html#built-in-proxy-support
 */
export function useProxy(environment: Environment): string | undefined {
  const [https, plain] = [proxyIn(environment, 'HTTPS_PROXY'), proxyIn(environment, 'HTTP_PROXY')]
  if (!('setGlobalProxyFromEnv' in http)) {
    if (environment['NODE_USE_ENV_PROXY'] === '1') return undefined
    const hint = 'Use Node 24.14 or later; or, from Node 22.21 on, set NODE_USE_ENV_PROXY to 1.'
    return `Node ${process.versions.node} does not use the proxy that is set. ${hint}`
  }
  for (const proxy of [https, plain]) if (proxy !== undefined) rememberProxy(new URL(proxy))
  const direct = variableIn(environment, 'NO_PROXY')?.value.trim()
  http.setGlobalProxyFromEnv({
    ...(https !== undefined && { https_proxy: https }),
    ...(plain !== undefined && { http_proxy: plain }),
    no_proxy: direct === '*' ? direct : [...thisMachine, ...(direct === undefined ? [] : [direct])].join(','),
  })
  return undefined
}

/** The proxy's URL. No message quotes it, because it may contain a password. */
function proxyIn(environment: Environment, upperCase: string): string | undefined {
  const found = variableIn(environment, upperCase)
  if (!found) return undefined
  const protocol = URL.parse(found.value)?.protocol
  if (protocol === 'http:' || protocol === 'https:') return found.value
  throw new UsageError(`${found.name} is not the URL of a proxy, such as http://proxy.example.com:3128.`)
}

/** A variable in lower or upper case; lower case takes precedence, as in curl. An empty variable counts as unset. */
function variableIn(environment: Environment, upperCase: string): { readonly name: string; readonly value: string } | undefined {
  for (const name of [upperCase.toLowerCase(), upperCase]) {
    const value = environment[name]
    if (value) return { name, value }
  }
  return undefined
}

/** The proxy for a request to this address; undefined if the request goes there directly. */
export function proxyFor({ protocol, hostname, port }: URL, environment: Environment): URL | undefined {
  const proxy = variableIn(environment, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  const direct = [...thisMachine, ...(variableIn(environment, 'NO_PROXY')?.value.split(',') ?? [])].map((each) => each.trim().toLowerCase())
  const isDirect = direct.some((each) => {
    const name = each.replace(/^\*?\./, '')
    return each === '*' || name === hostname || name === `${hostname}:${port}` || (name !== each && hostname.endsWith(`.${name}`))
  })
  return proxy && !isDirect ? (URL.parse(proxy.value) ?? undefined) : undefined
}

import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { commandLine } from '../../account/account.ts'
import { overridingVariables } from '../../account/tokens/token-source.ts'
import { systemClock } from '@mcp-toolkits/core/base'
import { isSystemError, joinWords, ToolError } from '@mcp-toolkits/core/errors'
import { type Environment, isProxyFailure, isUnfilled, Secret } from '@mcp-toolkits/core/upstream'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { apiKeyOf, type Check } from '../../mcp/extension.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import { proxyFor } from '../process/proxy.ts'
import { loginFacts, peopleApi, upstreamText } from '../commands/status.ts'
import { misspeltVariables, unusedVariables, type VariableOwner } from './settings-warnings.ts'

/** Always passes: an old Node cannot start the command. */
export function checkNode(): Check {
  return { name: 'Node', state: 'ok', text: process.versions.node }
}

/** Minimum free disk space: with less, the next writes may fail. */
const minFreeBytes = 100 * 1024 * 1024

/** Checks that the data directory is writable and lockable, and that its disk has room. Leaves nothing behind. */
export async function checkDirectory({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Check> {
  const name = 'Data directory'
  try {
    const existing = await nearestExisting(dataDirectory)
    const { bavail, bsize } = await statfs(existing)
    const free = bavail * bsize
    if (existing !== dataDirectory) await access(existing, constants.W_OK | constants.X_OK)
    else await tryWriting(dataDirectory)
    const text = `${dataDirectory} ${existing === dataDirectory ? 'is writable and lockable' : 'can be created'}; ${sizeText(free)} free`
    if (free >= minFreeBytes) return { name, state: 'ok', text }
    return { name, state: 'problem', text, fix: 'Free some space on that disk, or choose another directory with --data-dir.' }
  } catch (error) {
    const code = isSystemError(error) ? error.code : 'it cannot be locked'
    const fix =
      'Give your user permission to write there, or choose another directory, on a local disk, with --data-dir or MCP_TOOLKITS_DATA_DIR.'
    return { name, state: 'problem', text: `${dataDirectory} cannot be used (${code}).`, fix }
  }
}

/** The directory itself or, if it does not exist, its nearest existing parent. */
async function nearestExisting(directory: string): Promise<string> {
  for (let place = directory; ; place = path.dirname(place)) {
    const found = await stat(place).catch((error: unknown) => {
      if (isSystemError(error) && error.code === 'ENOENT' && place !== path.dirname(place)) return undefined
      throw error
    })
    if (found?.isDirectory() === true) return place
    if (found) throw Object.assign(new Error(place), { code: 'ENOTDIR', syscall: 'stat' })
  }
}

/** Writes a file and locks another, as a server does: some network file systems lack locks. */
async function tryWriting(directory: string): Promise<void> {
  const trial = path.join(directory, `.doctor-${randomUUID()}`)
  try {
    await writeFile(trial, 'written by doctor', { flag: 'wx', mode: 0o600 })
    await rm(trial)
    const { openProcessLock } = await import('@mcp-toolkits/sqlite')
    openProcessLock(trial).close()
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}

function sizeText(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3
  return gigabytes >= 1 ? `${gigabytes.toFixed(0)} GiB` : `${(bytes / 1024 ** 2).toFixed(0)} MiB`
}

/** Checks for misspelt variables, and other programs' variables. */
export async function checkVariables(definition: VariableOwner, environment: Environment): Promise<Check> {
  const found = [...(await misspeltVariables(definition, environment)), ...(await unusedVariables(definition, environment))]
  if (found.length === 0) return { name: 'Variables', state: 'ok', text: 'no unknown names' }
  return { name: 'Variables', state: 'warning', text: found.join('\n') }
}

/** Timeout, in milliseconds, for the request that asks a vendor whether a credential is valid. */
const checkMs = 10_000

/** Checks that the vendor is reachable and accepts the credentials. Without an account, nothing leaves this machine. */
export async function accountChecks<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  toolbox: Toolbox,
): Promise<Check[]> {
  const { vendor, connectHint } = definition
  if (toolbox.upstreamProblem !== undefined) {
    const text = toolbox.upstreamProblem
    return [{ name: 'Credentials', state: 'problem', text, fix: fixOf(definition, text, settings.environment) }]
  }
  if (!toolbox.usesAccount) {
    const text = `none: the server uses the embedded default, and sends nothing to ${vendor}. ${String(connectHint)}`
    return [{ name: 'Credentials', state: 'skipped', text }]
  }
  const upstream = definition.upstream(settings)
  if (upstream.kind !== 'vendor') return []
  const network = await networkChecks(new URL(upstream.url), settings.environment)
  if (network.some(({ name, state }) => name === 'Network' && state === 'problem')) {
    return [...network, { name: 'Credentials', state: 'skipped', text: `not checked: ${vendor} cannot be reached` }]
  }
  const used = upstreamText(definition, settings, toolbox)
  const accepted = await acceptance(definition, settings, toolbox)
  const credentials: Check =
    'problem' in accepted
      ? { name: 'Credentials', state: 'problem', text: `${used}: ${accepted.problem}`, fix: String(connectHint) }
      : { name: 'Credentials', state: 'ok', text: `${used}: accepted${accepted.account}` }
  return [...network, credentials, await checkScopes(definition, settings, toolbox)]
}

/** Checks that the vendor is reachable, for a server whose people connect their own accounts. Uses no personal credentials. */
export async function peopleAccountChecks<Context>(definition: ServerDefinition<Context>, settings: Settings): Promise<Check[]> {
  const url = peopleApi(definition, settings)
  const text = `each person connects their own: \`${definition.name}-mcp people list\` shows who has.`
  const network = url === undefined ? [] : await networkChecks(new URL(url), settings.environment)
  return [...network, { name: 'Credentials', state: 'skipped', text }]
}

/** Remedy for an unusable account: a variable other than the credentials may be wrong. */
function fixOf<Context>(definition: ServerDefinition<Context>, problem: string, environment: Environment) {
  const { name, account, connectHint } = definition
  const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`
  const credentials = [apiKeyOf(definition)?.variable, ...(account?.credentials ?? []).map(({ variable }) => variable)]
  const named = [...new Set(problem.match(/\b[A-Z][A-Z\d_]+\b/g))].filter((word) => word.startsWith(prefix))
  const isFixedThere = (variable: string) => {
    const value = environment[variable]
    return value !== undefined && (isUnfilled(value) || !credentials.includes(variable))
  }
  return named.length > 0 && named.every(isFixedThere)
    ? `Correct ${joinWords(named)}, or unset ${named.length === 1 ? 'it' : 'them'}.`
    : String(connectHint)
}

type Acceptance = { readonly problem: string } | { readonly account: string }

/** Asks the vendor whose account it is; an event vendor is asked only whether it accepts the key. */
async function acceptance<Context>(definition: ServerDefinition<Context>, settings: Settings, toolbox: Toolbox): Promise<Acceptance> {
  try {
    if (definition.account) {
      const { problem, name, email, workspace } = await toolbox.status()
      if (typeof problem === 'string') return { problem }
      const facts = [name, email, workspace].filter((fact) => typeof fact === 'string')
      return { account: facts.length === 0 ? '' : `, as ${facts.join(', ')}` }
    }
    const { variable = '', check } = apiKeyOf(definition) ?? {}
    const key = settings.environment[variable]
    if (key !== undefined) await check?.(settings, new Secret(key), AbortSignal.timeout(checkMs))
    return { account: '' }
  } catch (error) {
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}

/** Checks that the login has every tool's scopes. */
async function checkScopes<Context>(definition: ServerDefinition<Context>, settings: Settings, toolbox: Toolbox): Promise<Check> {
  const name = 'Scopes'
  const { account, vendor } = definition
  if (!account) return { name, state: 'skipped', text: `a ${vendor} key has none` }
  const [variable] = overridingVariables(account, settings.environment)
  if (variable !== undefined)
    return { name, state: 'skipped', text: `${vendor} does not list the scopes of ${variable}: a call that lacks one says so` }
  const { scopes, tools_lacking_a_scope: lacking } = await loginFacts(definition, settings, toolbox.listing)
  const limited: readonly unknown[] = Array.isArray(lacking) ? lacking : []
  if (limited.length === 0) return { name, state: 'ok', text: Array.isArray(scopes) ? scopes.join(', ') : 'enough for every tool' }
  return {
    name,
    state: 'warning',
    text: `These tools lack a scope: ${limited.join(', ')}.`,
    fix: `\`${commandLine(definition.name, settings, ['login'])}\` asks for all of them.`,
  }
}

/** Timeout, in milliseconds, for the request that tests whether a vendor is reachable. */
const requestMs = 10_000

/** Clock difference beyond which tokens signed or checked on this machine are refused. */
const maxSkewMs = 60_000

/** Sends the vendor a request without credentials, to learn whether it is reachable, through which proxy, and what its clock says. */
async function networkChecks(url: URL, environment: Environment): Promise<Check[]> {
  const proxy = proxyFor(url, environment)
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.host}`
  const via = proxy ?? url
  const bare = via.hostname.replace(/^\[|\]$/g, '')
  try {
    if (isIP(bare) === 0) await lookup(bare)
  } catch {
    const what = proxy ? `the proxy ${via.hostname}` : via.hostname
    const fix = proxy
      ? "Correct HTTPS_PROXY, or ask whoever runs your network for its proxy's address."
      : 'Check the connection and the DNS server. In a network with a proxy, set HTTPS_PROXY to its address.'
    return [{ name: 'Network', state: 'problem', text: `The name of ${what} cannot be resolved.`, fix }]
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

/** Compares this machine's clock with the date of a response, which is in whole seconds. */
function checkClock(date: string | null, { now, source }: { readonly now: number; readonly source: string }): Check {
  const name = 'Clock'
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return { name, state: 'skipped', text: `${source} did not send its time` }
  const skew = now - there
  if (Math.abs(skew) <= maxSkewMs) return { name, state: 'ok', text: `agrees with ${source}` }
  const minutes = Math.round(Math.abs(skew) / 60_000)
  const text = `${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} ${source}. Sign-ins and signatures may be refused.`
  return { name, state: 'problem', text, fix: 'Let the operating system set the time from a time server.' }
}

const certificateFix =
  'A proxy in your network may replace certificates: set NODE_EXTRA_CA_CERTS to the file with its certificate authority, or NODE_USE_SYSTEM_CA to 1 if the system trusts it.'

/** Explanation of a failed request, with a remedy. */
function unreachable(error: unknown, { url, proxy }: { readonly url: URL; readonly proxy: URL | undefined }): Pick<Check, 'text' | 'fix'> {
  const code = codeOf(error)
  if (/CERT|SIGNATURE|^ERR_TLS_|ISSUER/.test(code)) {
    return { text: `The certificate of ${url.host} is not trusted (${code}).`, fix: certificateFix }
  }
  const [what, fix] = proxy
    ? [
        isProxyDown(error) ? `The proxy ${proxy.host}` : `${url.host}, through the proxy ${proxy.host},`,
        'Check HTTPS_PROXY, and that the proxy is running and allows that host.',
      ]
    : [url.host, 'Check the connection and the firewall. In a network with a proxy, set HTTPS_PROXY to its address.']
  return { text: `${what} cannot be reached (${code}).`, fix }
}

function isProxyDown(error: unknown): boolean {
  return error instanceof Error && (isProxyFailure(error) || isProxyDown(error.cause))
}

/** The code of an error or of its cause. */
function codeOf(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code
    if (/^Proxy response \(\d+\)/.test(current.message)) return current.message
    if (current.name === 'TimeoutError') return 'no response in time'
  }
  return 'no response'
}

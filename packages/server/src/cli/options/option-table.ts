import path from 'node:path'
import { isProfileName } from '../../account/account.ts'
import { isSecureUrl } from '@mcp-toolkits/core/upstream'
import { logLevels } from '../../mcp/log.ts'
import { type Extended, fileOptionsOf } from '../../mcp/extension.ts'
import { isText, list, type Option, type OptionType, splitList, text } from './option.ts'

const flag: OptionType<boolean> = {
  text: '1 or 0',
  parse: (value) => (/^(1|true)$/i.test(value) ? true : /^(0|false)$/i.test(value) ? false : undefined),
  value: 'true or false',
  isValue: (value) => typeof value === 'boolean',
}

const nonEmptyList: OptionType<readonly string[]> = {
  ...list,
  parse: (value) => (splitList(value).length > 0 ? splitList(value) : undefined),
}

const toolList: OptionType<readonly string[]> = {
  // An empty list could mean every tool as well as none.
  ...nonEmptyList,
  text: 'comma-separated names of tools',
}

const toolsetList: OptionType<readonly string[]> = { ...nonEmptyList, text: 'comma-separated names of toolsets' }

const scopeList: OptionType<readonly string[]> = {
  ...list,
  text: 'comma-separated names',
  parse(value) {
    const scopes = splitList(value).flatMap((part) => part.split(/\s+/))
    // https://www.rfc-editor.org/rfc/rfc6749#section-3.3
    return scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) ? scopes : undefined
  },
}

/** Names normalized for comparison with requests: in lower case, without a port, and with IPv6 addresses in brackets. */
const hostList: OptionType<readonly string[]> = {
  ...list,
  text: 'comma-separated host names, such as tracker.example.com',
  parse(value) {
    const hosts = splitList(value).map(parseHost)
    return hosts.every((host) => host !== undefined) ? hosts : undefined
  },
}

function parseHost(written: string): string | undefined {
  const isBareAddress = /^[^[]*:[^[]*:/.test(written)
  const url = URL.parse(`http://${isBareAddress ? `[${written}]` : written}/`)
  if (!url || url.href !== `http://${url.host}/`) return undefined
  return /^(?:[\w.-]+|\[.+\])$/.test(url.hostname) ? url.hostname : undefined
}

/** Text that the parser accepts and may normalize. */
function parsedText(text: string, parse: OptionType<string>['parse'], value = text): OptionType<string> {
  return { text, parse, value, isValue: (given): given is string => isText(given) && parse(given) !== undefined }
}

function upTo(most: number, text: string): OptionType<number> {
  return {
    text,
    parse: (value) => (/^\d+$/.test(value) && Number(value) <= most ? Number(value) : undefined),
    value: text,
    isValue: (value): value is number => typeof value === 'number' && value >= 0 && value <= most,
  }
}

/** An absolute path, because errors' commands run in other directories. An empty path would mean the working directory. */
const directory = parsedText('the path of a directory', (value) =>
  value.trim() !== '' && !value.includes('${') ? path.resolve(value) : undefined,
)

const builtInSeeds = ['company', 'edge-cases', 'empty']

/** A built-in seed, or an absolute path. Any other word is more likely to be a mistyped name than a file. */
const seedSource = parsedText(
  'company, edge-cases, empty, or the path of a .yaml or .json file',
  (value) => (builtInSeeds.includes(value) ? value : /\.(?:ya?ml|json)$/i.test(value) ? path.resolve(value) : undefined),
  '"company", "edge-cases", "empty" or the path of a .yaml or .json file',
)

const profileName = parsedText('a name of letters, digits, ".", "_" and "-"', (value) => (isProfileName(value) ? value : undefined))

const port = upTo(65_535, 'a number from 0 to 65535')

const key = parsedText(
  '1 to 255 printable characters',
  (value) => /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.exec(value)?.[0],
  'a string of 1 to 255 printable characters',
)

/** PostgreSQL's address. It may contain a password. */
const databaseUrl = parsedText('a URL such as postgres://host/database', (value) =>
  /^postgres(?:ql)?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined,
)

/** An identity provider's issuer URL, exactly as in its tokens. */
const issuerUrl = parsedText(
  'an https URL without a query, such as https://login.example.com (http:// is allowed for this machine only)',
  (value) => (isSecureUrl(value) && !/[?#]/.test(value) ? value : undefined),
)

/** An origin. It has no path, because its cookies must not reach other servers. */
const originUrl = parsedText(
  'an https URL without a path, such as https://files.example.com (http:// is allowed for this machine only)',
  (value) => {
    const url = URL.parse(value)
    return url && isSecureUrl(value) && url.href === `${url.origin}/` ? url.origin : undefined
  },
)

const seconds = upTo(3_600, 'a number of seconds from 0 to 3600')

function choice<const Word extends string>(words: readonly Word[]): OptionType<Word> {
  return {
    text: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
    value: words.map((word) => `"${word}"`).join(' or '),
    isValue: (value): value is Word => words.some((word) => word === value),
  }
}

/** An option without a variable. */
function option<Value>(name: string, kind: OptionType<Value>, more: Pick<Option, 'short'> = {}): Option<Value> {
  return { name, kind, ...more }
}

/** An option that a variable also sets. */
function withVariable<Value>(name: string, kind: OptionType<Value>): Option<Value> {
  return { name, kind, variable: `MCP_TOOLKITS_${name.toUpperCase().replaceAll('-', '_')}` }
}

/** An option that works with every command, with its variable. */
function general<Value>(name: string, kind: OptionType<Value>, more: Pick<Option, 'library' | 'needsAccount'> = {}): Option<Value> {
  return { ...withVariable(name, kind), ...more, isGeneral: true }
}

/**
 * Every server's options and variables, in `--help` order. The command line, --help, the READMEs, the MCP Registry, the bundles and
 * the library read this table; the text for people is in option-texts.ts, which startup does not load. The keys are the names in `Settings`
 * and in the library API.
 */
export const options = {
  embedded: general('embedded', flag, { library: 'embedded: true' }),
  dataDirectory: general('data-dir', directory, { library: 'dataDirectory' }),
  seed: general('seed', seedSource),
  profile: general('profile', profileName, { library: 'profile', needsAccount: true }),
  readOnly: general('read-only', flag, { library: 'readOnly' }),
  toolsets: general('toolsets', toolsetList, { library: 'toolsets' }),
  tools: general('tools', toolList, { library: 'tools' }),
  toolNames: general('tool-names', choice(['safe', 'canonical']), { library: 'toolNames' }),
  apps: general('apps', choice(['on', 'off']), { library: 'apps' }),
  questionSeconds: general('question-seconds', seconds, { library: 'questionSeconds' }),
  logLevel: general('log-level', choice(logLevels)),
  host: option('host', text),
  port: option('port', port),
  allowedHosts: option('allowed-hosts', hostList),
  store: { ...withVariable('store', databaseUrl), isSecret: true },
  issuer: withVariable('issuer', issuerUrl),
  publicUrl: withVariable('public-url', originUrl),
  authorizationServer: withVariable('authorization-server', flag),
  audience: withVariable('audience', nonEmptyList),
  audit: withVariable('audit', text),
  metricsPort: withVariable('metrics-port', port),
  metricsHost: withVariable('metrics-host', text),
  drainWait: option('drain-wait', seconds),
  check: option('check', flag),
  idempotencyKey: option('idempotency-key', key),
  scopes: option('scopes', scopeList),
  noBrowser: option('no-browser', flag),
  json: option('json', flag),
  write: option('write', flag),
  help: option('help', flag, { short: 'h' }),
  version: option('version', flag, { short: 'v' }),
} satisfies Readonly<Record<string, Option>>

export type OptionKey = keyof typeof options

/** One server's options by key, in the help's order. */
export function optionsOf(server: Extended): readonly (readonly [key: string, option: Option])[] {
  const general = (server.extensions ?? []).flatMap(({ options: own = {} }) => Object.entries<Option>(own))
  const files = fileOptionsOf(server).map((option) => [option.name, option] as const)
  // Extensions' options go next to the most similar options.
  const before: Readonly<Record<string, readonly (readonly [string, Option])[]>> = { toolNames: general, idempotencyKey: files }
  return Object.entries<Option>(options).flatMap((entry) => [...(before[entry[0]] ?? []), entry])
}

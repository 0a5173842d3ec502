import path from 'node:path'
import { isProfileName } from '../../account/account.ts'
import { isSecureUrl } from '@mcp-toolkits/core/upstream'
import { logLevels } from '../../mcp/log.ts'
import { type Extended, fileOptionsOf } from '../../mcp/extension.ts'
import { list, type Option, type OptionType, splitList, text } from './option.ts'

const isText = (value: unknown): value is string => typeof value === 'string'
const isDirectory = (text: string) => text.trim() !== '' && !text.includes('${')

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
  // An empty list would mean neither every tool nor none.
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

/** An absolute path, because commands that errors name are run elsewhere. An empty one would mean the working directory. */
const directory: OptionType<string> = {
  text: 'the path of a directory',
  parse: (value) => (isDirectory(value) ? path.resolve(value) : undefined),
  value: 'the path of a directory',
  isValue: (value): value is string => isText(value) && isDirectory(value),
}

const builtInSeeds = ['company', 'edge-cases', 'empty']
const isSeed = (text: string) => builtInSeeds.includes(text) || /\.(?:ya?ml|json)$/i.test(text)

/** A built-in seed, or an absolute path. A word that is neither is rather a mistyped name than a file. */
const seedSource: OptionType<string> = {
  text: 'company, edge-cases, empty, or the path of a .yaml or .json file',
  parse: (value) => (builtInSeeds.includes(value) ? value : isSeed(value) ? path.resolve(value) : undefined),
  value: '"company", "edge-cases", "empty" or the path of a .yaml or .json file',
  isValue: (value): value is string => isText(value) && isSeed(value),
}

const profileName: OptionType<string> = {
  text: 'a name of letters, digits, ".", "_" and "-"',
  parse: (value) => (isProfileName(value) ? value : undefined),
  value: 'a name of letters, digits, ".", "_" and "-"',
  isValue: (value): value is string => isText(value) && isProfileName(value),
}

const port: OptionType<number> = {
  text: 'a number from 0 to 65535',
  parse: (value) => (/^\d+$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
  value: 'a number from 0 to 65535',
  isValue: (value) => typeof value === 'number',
}

const isKey = (value: unknown): value is string => isText(value) && /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(value)

const key: OptionType<string> = {
  text: 'a text of 1 to 255 printable characters',
  parse: (value) => (isKey(value) ? value : undefined),
  value: 'a string of 1 to 255 printable characters',
  isValue: isKey,
}

/** PostgreSQL's address. It may hold a password. */
const databaseUrl: OptionType<string> = {
  text: 'a URL such as postgres://host/database',
  parse: (value) => (isDatabaseUrl(value) ? value : undefined),
  value: 'a URL such as postgres://host/database',
  isValue: (value): value is string => isText(value) && isDatabaseUrl(value),
}

function isDatabaseUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol)
}

/** The name of an identity provider, exactly as its tokens spell it. */
const issuerUrl: OptionType<string> = {
  text: 'an https URL without a query, such as https://login.example.com (http:// is allowed for this machine only)',
  parse: (value) => (isSecureUrl(value) && !/[?#]/.test(value) ? value : undefined),
  value: 'an https URL',
  isValue: (value): value is string => isText(value) && isSecureUrl(value),
}

/** An origin. Its cookies must not reach other servers, so that there is no path. */
const originUrl: OptionType<string> = {
  text: 'an https URL without a path, such as https://files.example.com (http:// is allowed for this machine only)',
  parse: originOf,
  value: 'an https URL without a path',
  isValue: (value): value is string => isText(value) && originOf(value) !== undefined,
}

function originOf(value: string): string | undefined {
  const url = URL.parse(value)
  return url && isSecureUrl(value) && url.href === `${url.origin}/` ? url.origin : undefined
}

const seconds: OptionType<number> = {
  text: 'a number of seconds from 0 to 3600',
  parse: (value) => (/^\d+$/.test(value) && Number(value) <= 3_600 ? Number(value) : undefined),
  value: 'a number of seconds from 0 to 3600',
  isValue: (value): value is number => typeof value === 'number' && value >= 0 && value <= 3_600,
}

function choice<const Word extends string>(words: readonly Word[]): OptionType<Word> {
  return {
    text: `one of ${words.join(', ')}`,
    parse: (value) => words.find((word) => word === value),
    value: words.map((word) => `"${word}"`).join(' or '),
    isValue: (value): value is Word => words.some((word) => word === value),
  }
}

/** Fixes the type of the value. */
function option<Value>(definition: Option<Value>): Option<Value> {
  return definition
}

/**
 * The options of every server and their variables, in the order of the help. The command line, --help, the READMEs, the MCP Registry, the
 * bundles and the library read this table; the texts for people are in option-texts.ts, which no start loads. Its keys are the names in
 * `Settings` and in a program.
 */
export const options = {
  embedded: option({
    name: 'embedded',
    kind: flag,
    variable: 'MCP_TOOLKITS_EMBEDDED',
    library: 'embedded: true',
    isGeneral: true,
  }),
  dataDirectory: option({
    name: 'data-dir',
    kind: directory,
    variable: 'MCP_TOOLKITS_DATA_DIR',
    library: 'dataDirectory',
    isGeneral: true,
  }),
  seed: option({
    name: 'seed',
    kind: seedSource,
    variable: 'MCP_TOOLKITS_SEED',
    isGeneral: true,
  }),
  profile: option({
    name: 'profile',
    kind: profileName,
    variable: 'MCP_TOOLKITS_PROFILE',
    needsAccount: true,
    library: 'profile',
    isGeneral: true,
  }),
  readOnly: option({
    name: 'read-only',
    kind: flag,
    variable: 'MCP_TOOLKITS_READ_ONLY',
    library: 'readOnly',
    isGeneral: true,
  }),
  toolsets: option({
    name: 'toolsets',
    kind: toolsetList,
    variable: 'MCP_TOOLKITS_TOOLSETS',
    library: 'toolsets',
    isGeneral: true,
  }),
  tools: option({
    name: 'tools',
    kind: toolList,
    variable: 'MCP_TOOLKITS_TOOLS',
    library: 'tools',
    isGeneral: true,
  }),
  toolNames: option({
    name: 'tool-names',
    kind: choice(['safe', 'canonical']),
    variable: 'MCP_TOOLKITS_TOOL_NAMES',
    library: 'toolNames',
    isGeneral: true,
  }),
  apps: option({
    name: 'apps',
    kind: choice(['on', 'off']),
    variable: 'MCP_TOOLKITS_APPS',
    library: 'apps',
    isGeneral: true,
  }),
  questionSeconds: option({
    name: 'question-seconds',
    kind: seconds,
    variable: 'MCP_TOOLKITS_QUESTION_SECONDS',
    library: 'questionSeconds',
    isGeneral: true,
  }),
  logLevel: option({
    name: 'log-level',
    kind: choice(logLevels),
    variable: 'MCP_TOOLKITS_LOG_LEVEL',
    isGeneral: true,
  }),
  host: option({ name: 'host', kind: text }),
  port: option({ name: 'port', kind: port }),
  allowedHosts: option({ name: 'allowed-hosts', kind: list }),
  store: option({
    name: 'store',
    kind: databaseUrl,
    variable: 'MCP_TOOLKITS_STORE',
    isSecret: true,
  }),
  issuer: option({
    name: 'issuer',
    kind: issuerUrl,
    variable: 'MCP_TOOLKITS_ISSUER',
  }),
  publicUrl: option({
    name: 'public-url',
    kind: originUrl,
    variable: 'MCP_TOOLKITS_PUBLIC_URL',
  }),
  authorizationServer: option({
    name: 'authorization-server',
    kind: flag,
    variable: 'MCP_TOOLKITS_AUTHORIZATION_SERVER',
  }),
  audience: option({
    name: 'audience',
    kind: nonEmptyList,
    variable: 'MCP_TOOLKITS_AUDIENCE',
  }),
  audit: option({ name: 'audit', kind: text, variable: 'MCP_TOOLKITS_AUDIT' }),
  metricsPort: option({ name: 'metrics-port', kind: port, variable: 'MCP_TOOLKITS_METRICS_PORT' }),
  metricsHost: option({ name: 'metrics-host', kind: text, variable: 'MCP_TOOLKITS_METRICS_HOST' }),
  drainWait: option({
    name: 'drain-wait',
    kind: seconds,
  }),
  check: option({ name: 'check', kind: flag }),
  idempotencyKey: option({ name: 'idempotency-key', kind: key }),
  scopes: option({ name: 'scopes', kind: scopeList }),
  noBrowser: option({ name: 'no-browser', kind: flag }),
  json: option({ name: 'json', kind: flag }),
  write: option({ name: 'write', kind: flag }),
  help: option({ name: 'help', kind: flag, short: 'h' }),
  version: option({ name: 'version', kind: flag, short: 'v' }),
}

export type OptionKey = keyof typeof options

/** The options of one server by key, in the order of the help. */
export function optionsOf(server: Extended): readonly (readonly [key: string, option: Option])[] {
  const general = (server.extensions ?? []).flatMap(({ options: own = {} }) => Object.entries<Option>(own))
  const files = fileOptionsOf(server).map((option) => [option.name, option] as const)
  // Next to the options that are most like them.
  const before: Readonly<Record<string, readonly (readonly [string, Option])[]>> = { toolNames: general, idempotencyKey: files }
  return Object.entries<Option>(options).flatMap((entry) => [...(before[entry[0]] ?? []), entry])
}

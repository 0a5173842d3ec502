import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ToolError } from '@mcp-toolkits/core'
import { isProfileName } from '../accounts/profile-name.ts'
import { isDirectoryPath } from '../data-directory.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { toolListProblem } from '../listing.ts'
import { invalidHostProblem } from '../private-hosts.ts'
import type { CommonOptions } from './server.ts'
import type { optionWording } from './wording.ts'

/** What a program can say about the account of one server. */
export interface AccountOptions {
  /** The options that hold text, and the variables of the environment by which the definition knows them. */
  readonly variables: Readonly<Record<string, string>>
  /** Those of them that are credentials; one is needed. */
  readonly credentials: readonly string[]
  /** Options that are on unless they are `false`, likewise. */
  readonly switches?: Readonly<Record<string, string>>
}

/** The options of a program as settings. */
export interface HostedSettings {
  readonly settings: Settings
  /** Whether the data directory goes when the server goes. */
  readonly temporary: boolean
}

type Given = ReadonlyMap<string, unknown>

interface Kind {
  /** What the value must be: `a string`. */
  readonly name: string
  readonly fits: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

const text: Kind = { name: 'a string', fits: isText }
const toggle: Kind = { name: 'true or false', fits: (value) => typeof value === 'boolean' }
const list: Kind = { name: 'an array of strings', fits: isList }
const callback: Kind = { name: 'a function', fits: (value) => typeof value === 'function' }
const key: Kind = { name: 'a Uint8Array of at least 32 bytes', fits: (value) => value instanceof Uint8Array && value.length >= 32 }
const naming: Kind = { name: '"safe" or "canonical"', fits: (value) => value === 'safe' || value === 'canonical' }
const profile: Kind = {
  name: 'a name of letters, digits, ".", "_" and "-"',
  fits: (value) => isText(value) && isProfileName(value),
}

const common = {
  embedded: toggle,
  dataDirectory: { name: 'the path of a directory', fits: (value) => isText(value) && isDirectoryPath(value) },
  readOnly: toggle,
  tools: list,
  toolNames: naming,
  log: callback,
  fetch: callback,
  stateKey: key,
} as const satisfies Readonly<Record<keyof CommonOptions, Kind>>

interface Reading<Context> {
  readonly definition: ServerDefinition<Context>
  readonly account: AccountOptions
  readonly reword: ReturnType<typeof optionWording>
}

/** Checks what a program gave, which may be written in JavaScript. Throws a `TypeError` that says what to give instead. */
export function readOptions<Context>(options: CommonOptions, reading: Reading<Context>): HostedSettings {
  const { definition, account } = reading
  const given = checkedKinds(options, kindsOf(definition, account))
  checkAccount(given, reading)
  const { embedded = false, dataDirectory, readOnly = false, tools, toolNames = 'safe' } = options
  checkTools(tools ?? [], definition)
  const [named, privateUrls] = [given.get('profile'), given.get('allowPrivateUrls')]
  const settings: Settings = {
    embedded,
    dataDirectory: dataDirectory === undefined ? path.join(tmpdir(), `mcp-toolkits-${randomUUID()}`) : path.resolve(dataDirectory),
    dataDirectoryIsChosen: dataDirectory !== undefined,
    ...(isText(named) && { profile: named }),
    readOnly,
    ...(tools && { tools }),
    toolNames,
    ...(isList(privateUrls) && { allowPrivateUrls: privateUrls }),
    environment: environmentOf(given, account),
  }
  checkPrivateHosts(settings)
  checkUpstream(settings, reading)
  return { settings, temporary: dataDirectory === undefined }
}

function kindsOf<Context>(
  { signIn, privateUrlsVariable }: ServerDefinition<Context>,
  { variables, switches = {} }: AccountOptions,
): ReadonlyMap<string, Kind> {
  return new Map<string, Kind>([
    ...Object.keys(variables).map((option): [string, Kind] => [option, text]),
    ...Object.keys(switches).map((option): [string, Kind] => [option, toggle]),
    ...(signIn ? ([['profile', profile]] as const) : []),
    ...(privateUrlsVariable === undefined ? [] : ([['allowPrivateUrls', list]] as const)),
    ...Object.entries(common),
  ])
}

/** The options that are given; one that is `undefined` is not. */
function checkedKinds(options: unknown, kinds: ReadonlyMap<string, Kind>): Given {
  if (typeof options !== 'object' || options === null) throw new TypeError('createServer takes an object of options.')
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [option, value] of given) {
    const kind = kinds.get(option)
    if (!kind) throw new TypeError(`createServer has no option "${option}". Options: ${[...kinds.keys()].join(', ')}.`)
    if (!kind.fits(value)) throw new TypeError(`The option ${option} must be ${kind.name}.`)
  }
  return new Map(given)
}

/** A program says whom it acts for: neither two accounts at once, nor the stand-in because a variable was empty. */
function checkAccount<Context>(given: Given, { definition, account }: Reading<Context>): void {
  if (given.get('embedded') === true) return
  const { signIn, hasPendingWork: hasLeftovers, vendor } = definition
  const possible = [...account.credentials, ...(signIn ? ['profile'] : [])]
  const chosen = possible.filter((option) => given.has(option))
  const choices = possible.join(' or ')
  if (chosen.length === 0)
    throw new TypeError(`createServer needs an account: give ${choices}, or embedded: true for a local stand-in for ${vendor}.`)
  if (chosen.length > 1) throw new TypeError(`createServer takes one account, and this is ${chosen.join(' and ')}.`)
  if (given.has('dataDirectory')) return
  if (given.has('profile'))
    throw new TypeError('The option profile needs dataDirectory: the directory in which somebody has signed in under that name.')
  if (hasLeftovers) throw new TypeError('With an account the option dataDirectory is needed: what cannot be sent at once is kept there.')
}

function checkTools<Context>(tools: readonly string[], definition: ServerDefinition<Context>): void {
  const problem = toolListProblem(definition, tools)
  if (problem !== undefined) throw new TypeError(`The option tools ${problem}`)
}

function checkPrivateHosts({ allowPrivateUrls: hosts = [] }: Settings): void {
  const problem = invalidHostProblem({ hosts, source: 'The option allowPrivateUrls' })
  if (problem !== undefined) throw new TypeError(problem)
}

function environmentOf(given: Given, { variables, switches = {} }: AccountOptions): Readonly<Record<string, string>> {
  const texts = Object.entries(variables).flatMap(([option, variable]) => {
    const value = given.get(option)
    return isText(value) ? [[variable, value] as const] : []
  })
  const switched = Object.entries(switches).map(([option, variable]) => [variable, given.get(option) === false ? '0' : '1'] as const)
  return Object.fromEntries([...texts, ...switched])
}

/** A credential that cannot be one is told at once, where the program can still be changed. */
function checkUpstream<Context>(settings: Settings, { definition, reword }: Reading<Context>): void {
  try {
    definition.upstream(settings)
  } catch (error) {
    throw error instanceof ToolError ? new TypeError(reword(error.message)) : error
  }
}

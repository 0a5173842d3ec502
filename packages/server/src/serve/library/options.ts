import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isObject } from '@mcp-toolkits/core/base'
import { canonicalSpelling, type Spelling, ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { toolListProblem } from '../../mcp/listing/listing.ts'
import { toolsetProblem } from '../../mcp/listing/toolsets.ts'
import { type Extended, optionProblem } from '../../mcp/extension.ts'
import { options, optionsOf } from '../../cli/options/option-table.ts'
import type { OptionType } from '../../cli/options/option.ts'
import type { CommonOptions } from './server.ts'

/** A server's account, as given by a program. */
export interface AccountOptions {
  /** The text options, each with the environment variable that the definition reads. */
  readonly variables: Readonly<Record<string, string>>
  /** The text options that are credentials; one of them is required. */
  readonly credentials: readonly string[]
  /** Options that are on unless `false`, each with its variable. */
  readonly switches?: Readonly<Record<string, string>>
}

/** A program's options as settings. */
export interface LibrarySettings {
  readonly settings: Settings
  /** True if the data directory is removed when the server closes. */
  readonly isTemporary: boolean
}

/** A server's options. Each app defines its own account. */
export interface LibraryOptions extends CommonOptions {
  readonly accountOf?: ((person: string) => unknown) | undefined
}

type ProgramOptions = ReadonlyMap<string, unknown>
type Check = Pick<OptionType<unknown>, 'value'> & { readonly isValue: (value: unknown) => boolean }

const text: Check = { value: 'a string', isValue: (value) => typeof value === 'string' }
const callback: Check = { value: 'a function', isValue: (value) => typeof value === 'function' }

/** A program's options that the command line lacks. */
const programOnlyChecks = {
  log: callback,
  fetch: callback,
  clock: { value: 'a clock: an object with now, monotonic, sleep and timer', isValue: isClock },
  stateKey: { value: 'a Uint8Array of at least 32 bytes', isValue: (value: unknown) => value instanceof Uint8Array && value.length >= 32 },
  accountOf: callback,
} as const satisfies Readonly<Partial<Record<keyof LibraryOptions, Check>>>

/** True for a clock; its methods may be inherited. */
function isClock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'now' in value && 'monotonic' in value && 'sleep' in value && 'timer' in value
    ? [value.now, value.monotonic, value.sleep, value.timer].every(callback.isValue)
    : false
}

interface OptionContext<Context> {
  readonly definition: ServerDefinition<Context>
  readonly account: AccountOptions
}

/** Checks a program's options, because the program may be written in JavaScript. Throws a `TypeError` that names the expected value. */
export function readOptions<Context>(input: LibraryOptions, context: OptionContext<Context>): LibrarySettings {
  const { definition, account } = context
  const checked = checkOptions(input, checksFor(definition, account))
  checkAccount(checked, context)
  const { embedded = false, dataDirectory, readOnly = false, toolsets, tools, toolNames = 'safe', apps, questionSeconds } = input
  const unknownToolset = toolsetProblem(definition, toolsets ?? [])
  if (unknownToolset !== undefined) throw new TypeError(`The option toolsets ${unknownToolset}`)
  // A name unknown to the server itself may be in a toolset, which is loaded on the first request.
  const problem = definition.toolsets ? undefined : toolListProblem(definition, tools ?? [])
  if (problem !== undefined) throw new TypeError(`The option tools ${problem}`)
  const profile = checked.get('profile')
  const settings: Settings = {
    embedded,
    dataDirectory: dataDirectory === undefined ? path.join(tmpdir(), `mcp-toolkits-${randomUUID()}`) : path.resolve(dataDirectory),
    dataDirectoryIsChosen: dataDirectory !== undefined,
    ...(options.profile.kind.isValue(profile) && { profile }),
    readOnly,
    ...(toolsets && { toolsets }),
    ...(tools && { tools }),
    toolNames,
    ...(apps && { apps }),
    ...(questionSeconds !== undefined && { questionSeconds }),
    environment: { ...toEnvironment(checked, account), ...extensionVariables(checked, definition) },
  }
  const invalid = optionProblem(definition, settings, (key) => `The option ${key}`)
  if (invalid !== undefined) throw new TypeError(invalid)
  if (!checked.has('accountOf')) checkUpstream(settings, context)
  return { settings, isTemporary: dataDirectory === undefined }
}

/** Options and variables as spelled by a program; an option that only the command line has keeps its name. */
export function librarySpelling({ variables, switches = {} }: AccountOptions, server: Extended): Omit<Spelling, 'tool'> {
  const spellings = optionsOf(server).map(([, { name, library }]) => [`--${name}`, library ?? `--${name}`] as const)
  const byOption = new Map<string, string>(spellings)
  const byVariable = new Map(Object.entries({ ...variables, ...switches }).map(([key, variable]) => [variable, key]))
  return { option: (name) => byOption.get(name) ?? name, variable: (name) => byVariable.get(name) ?? name }
}

function checksFor<Context>(
  definition: ServerDefinition<Context>,
  { variables, switches = {} }: AccountOptions,
): ReadonlyMap<string, Check> {
  const shared = optionsOf(definition).filter(
    ([, { library, needsAccount }]) => library !== undefined && (!needsAccount || definition.account !== undefined),
  )
  return new Map<string, Check>([
    ...Object.keys(variables).map((key) => [key, text] as const),
    ...Object.keys(switches).map((key) => [key, options.embedded.kind] as const),
    ...shared.map(([key, { kind }]) => [key, kind] as const),
    ...Object.entries(programOnlyChecks),
  ])
}

/** The passed options; `undefined` counts as absent. */
function checkOptions(input: unknown, checks: ReadonlyMap<string, Check>): ProgramOptions {
  if (typeof input !== 'object' || input === null) throw new TypeError('createServer takes an object of options.')
  const present = Object.entries(input).filter(([, value]) => value !== undefined)
  for (const [key, value] of present) {
    const check = checks.get(key)
    if (!check) throw new TypeError(`createServer has no option "${key}". Options: ${[...checks.keys()].join(', ')}.`)
    if (!check.isValue(value)) throw new TypeError(`The option ${key} must be ${check.value}.`)
  }
  return new Map(present)
}

/** Requires exactly one account, so that a program in which a variable is empty never falls back to the embedded default. */
function checkAccount<Context>(passed: ProgramOptions, { definition, account }: OptionContext<Context>): void {
  if (passed.get('embedded') === true) return
  const { extensions = [], vendor } = definition
  const possible = [...account.credentials, ...(definition.account ? ['profile'] : []), 'accountOf']
  const chosen = possible.filter((key) => passed.has(key))
  if (chosen.length === 0)
    throw new TypeError(
      `createServer needs an account: give ${possible.join(' or ')}, or embedded: true for a local emulator of ${vendor}.`,
    )
  if (chosen.length > 1) throw new TypeError(`createServer takes one account. Give only one of ${chosen.join(', ')}.`)
  if (passed.has('dataDirectory')) return
  if (passed.has('profile'))
    throw new TypeError('The option profile needs dataDirectory: the directory that contains the login of that name.')
  if (extensions.some((extension) => extension.hasPendingWork))
    throw new TypeError('With an account, the option dataDirectory is required: data that cannot be sent at once is stored there.')
}

function toEnvironment(passed: ProgramOptions, { variables, switches = {} }: AccountOptions): Environment {
  const texts = Object.entries(variables).flatMap(([key, variable]) => {
    const value = passed.get(key)
    return typeof value === 'string' ? [[variable, value] as const] : []
  })
  const switched = Object.entries(switches).map(([key, variable]) => [variable, passed.get(key) === false ? '0' : '1'] as const)
  return Object.fromEntries([...texts, ...switched])
}

function extensionVariables(passed: ProgramOptions, { extensions = [] }: Extended): Environment {
  const own = extensions.flatMap(({ options: each = {} }) => Object.entries(each))
  return Object.fromEntries(own.flatMap(([key, { variable }]) => (passed.has(key) ? [[variable, String(passed.get(key))]] : [])))
}

/**
 * The settings with the account that a program returned for a person. Throws `Unauthenticated` for an unusable account; the text says why,
 * for the program's developer.
 */
export function withAccount<Context>(
  settings: Settings,
  given: unknown,
  { definition, account: { variables, credentials } }: OptionContext<Context>,
): Settings {
  const problem = accountProblem(given, { variables, credentials })
  if (problem !== undefined) throw new Unauthenticated(`The application that embeds this server gave no usable account: ${problem}`)
  const entries = Object.entries(isObject(given) ? given : {})
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [[variables[key] ?? key, value] as const] : []))
  const own = { ...settings, environment: { ...settings.environment, ...Object.fromEntries(texts) } }
  definition.upstream(own)
  return own
}

/** The problem with an account; it repeats none of the account's values. */
function accountProblem(given: unknown, { variables, credentials }: Pick<AccountOptions, 'variables' | 'credentials'>): string | undefined {
  if (!isObject(given)) return 'accountOf must return an object, or undefined for a person without an account.'
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  const unknown = present.find(([key]) => !Object.hasOwn(variables, key))
  if (unknown) return `there is no "${unknown[0]}". Give ${Object.keys(variables).join(', ')}.`
  const wrong = present.find(([, value]) => typeof value !== 'string')
  if (wrong) return `${wrong[0]} must be a string.`
  const chosen = present.filter(([key]) => credentials.includes(key))
  return chosen.length === 1 ? undefined : `give exactly one of ${credentials.join(', ')}.`
}

/** Rejects unusable credentials when the server is created, not on its first call. */
function checkUpstream<Context>(settings: Settings, { definition, account }: OptionContext<Context>): void {
  try {
    definition.upstream(settings)
  } catch (error) {
    throw error instanceof ToolError
      ? new TypeError(error.text.render({ ...canonicalSpelling, ...librarySpelling(account, definition) }))
      : error
  }
}

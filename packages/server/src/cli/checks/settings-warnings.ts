import { rank } from '@mcp-toolkits/core/references'
import type { Environment } from '@mcp-toolkits/core/upstream'
import type { Loaders, ServerDefinition, Settings } from '../../mcp/definition.ts'
import type { Log } from '../../mcp/log.ts'
import { describedOptions, sharedVariables } from '../options/option-texts.ts'

interface Started {
  readonly settings: Pick<Settings, 'seed' | 'environment'>
  readonly isEmbedded: boolean
}

/** Logs the operator's settings that have no effect: misspelt variables, other programs' variables, and a seed if an account is used. */
export async function warnAtStart(definition: VariableOwner, started: Started, log: Pick<Log, 'warn'>): Promise<void> {
  const { settings, isEmbedded } = started
  const unused = isEmbedded ? await unusedVariables(definition, settings.environment) : []
  for (const text of [...(await misspeltVariables(definition, settings.environment)), ...unused, ...seedWarnings(started)]) log.warn(text)
}

/** A seed only fills the embedded default. */
export function seedWarnings({ settings: { seed }, isEmbedded }: Started): string[] {
  return seed === undefined || isEmbedded ? [] : ['The seed has no effect: it fills the embedded default, which this server does not use.']
}

export interface VariableOwner extends Pick<ServerDefinition<never>, 'name'> {
  readonly load: Pick<Loaders<never>, 'variables'>
}

const sharedPrefix = 'MCP_TOOLKITS_'

/** Minimum confidence at which a similar name is suggested. */
const minConfidence = 0.6

/** Sentences about variables that only look like a server's. An empty variable counts as unset. */
export async function misspeltVariables({ name, load }: VariableOwner, environment: Environment): Promise<string[]> {
  const { own = [] } = (await load.variables?.()) ?? {}
  const shared = [...describedOptions(), ...sharedVariables.map((each) => ({ variable: each.name }))]
  const known = [...shared.flatMap(({ variable }) => variable ?? []), ...own]
  const ownPrefix = `${name.toUpperCase().replaceAll('-', '_')}_`
  return namesIn(environment).flatMap((written) => {
    const prefix = [sharedPrefix, ownPrefix].find((each) => written.startsWith(each))
    const bare = written.replace(/_FILE$/, '')
    // The file's content is also in the environment, under the name without the suffix.
    const isFromFile = environment[`${written}_FILE`] !== undefined
    if (prefix === undefined || isFromFile || known.includes(written) || known.includes(bare)) return []
    const candidates = known.filter((each) => each.startsWith(prefix))
    const rests = candidates.map((each) => each.slice(prefix.length))
    const [likely] = rank(bare.slice(prefix.length), rests, { minConfidence })
    // A server's name consists of ordinary words, so other programs' variables may begin with it.
    if (!likely && prefix === ownPrefix) return []
    const found = likely === undefined ? '' : `: did you mean ${candidates[likely.index] ?? ''}${written === bare ? '' : '_FILE'}?`
    return [`Unknown variable ${written}${found === '' ? '. It has no effect.' : found}`]
  })
}

/** Other programs' variables that are set although the server's own equivalents are not. The server never uses them. */
export async function unusedVariables({ load }: VariableOwner, environment: Environment): Promise<string[]> {
  const { usual = {}, paths = [] } = (await load.variables?.()) ?? {}
  return namesIn(environment).flatMap((name) => {
    const own = Object.hasOwn(usual, name) ? usual[name] : undefined
    if (own === undefined || environment[own] || environment[`${own}_FILE`]) return []
    const isPath = paths.includes(name)
    return [`${name} is set but not used. To use it here, set ${own}${isPath ? '_FILE to the same path' : ' to the same value'}.`]
  })
}

const namesIn = (environment: Environment) =>
  Object.keys(environment)
    .filter((name) => Boolean(environment[name]))
    .sort()

/** Claims that a person or an administrator can change, and whose old values may be given to someone else. */
const changingClaims = ['email', 'name', 'nickname', 'preferred_username', 'unique_name', 'upn']

/** Warnings about the claim that identifies people. */
export function subjectWarnings(claim: string): string[] {
  if (!changingClaims.includes(claim)) return []
  return [
    `MCP_TOOLKITS_SUBJECT_CLAIM=${claim} identifies people by a value that can pass to someone else, who would then act as its former owner. Choose a claim whose values are never reassigned, such as sub, or oid in Entra.`,
  ]
}

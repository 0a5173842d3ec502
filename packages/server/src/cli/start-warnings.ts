import type { ServerDefinition, Settings } from '../definition.ts'
import type { Log } from '../log.ts'
import { misspeltVariables, unusedVariables } from './variables.ts'

interface Started {
  readonly settings: Pick<Settings, 'seed' | 'environment'>
  readonly isEmbedded: boolean
}

/** Says in the log what the operator wrote without effect: misspelt variables, those of other programs, and a seed beside an account. */
export async function warnAtStart(
  definition: Pick<ServerDefinition<never>, 'name' | 'loadVariables'>,
  started: Started,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const { settings, isEmbedded } = started
  const unused = isEmbedded ? await unusedVariables(definition, settings.environment) : []
  for (const text of [...(await misspeltVariables(definition, settings.environment)), ...unused, ...seedWarnings(started)]) log.warn(text)
}

/** A seed fills the embedded default only. */
export function seedWarnings({ settings: { seed }, isEmbedded }: Started): string[] {
  return seed === undefined || isEmbedded ? [] : ['The seed has no effect: it fills the embedded default, which this server does not use.']
}

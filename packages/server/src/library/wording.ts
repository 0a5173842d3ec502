import type { Answer } from '../answer.ts'

/** Settings as the command line spells them, and as a program does. */
const flags = {
  '--embedded': 'embedded: true',
  '--data-dir': 'dataDirectory',
  '--profile': 'profile',
  '--read-only': 'readOnly',
  '--tools': 'tools',
  '--allow-private-urls': 'allowPrivateUrls',
}

/** Rewrites a text that names variables and flags, so that it names the options of a program instead. `variables` is by option. */
export function optionWording(variables: Readonly<Record<string, string>>): (text: string) => string {
  const words = new Map(Object.entries(flags))
  for (const [option, variable] of Object.entries(variables)) words.set(variable, option)
  const spelled = new RegExp(`(?<![\\w-])(${[...words.keys()].join('|')})(?![\\w-])`, 'g')
  return (text) => text.replace(spelled, (word) => words.get(word) ?? word)
}

/** An error as it is told inside a program. A command is left out unless it is about the very account of this server. */
export function toldInProgram(
  answer: Answer,
  { reword, keepsCommands }: { readonly reword: (text: string) => string; readonly keepsCommands: boolean },
): Answer {
  if (answer.ok) return answer
  const { next, ...error } = answer.error
  const { command, ...elsewhere } = next ?? {}
  const step = { ...elsewhere, ...(keepsCommands && command !== undefined && { command }) }
  return { ...answer, error: { ...error, message: reword(error.message), ...(Object.keys(step).length > 0 && { next: step }) } }
}

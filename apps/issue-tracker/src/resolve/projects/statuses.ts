import { InvalidInput, joinWords, quote } from '@mcp-toolkits/core/errors'
import { isMisspelling } from '@mcp-toolkits/core/references'
import type { LinearCall } from '../../linear/client.ts'
import { type ProjectStatus, statusNames } from '../../linear/projects.ts'
import { plainReading } from '../../linear/references.ts'
import { projectStates } from '../../vocabulary/values.ts'

/** The status types; each workspace has its own names for statuses. */
export const statusTypes = ['planned', 'started', 'paused', 'completed', 'canceled', 'backlog'] as const

const isType = (text: string) => statusTypes.some((type) => type === text)

/** The statuses that text means: all of a type, or else those with that name. */
function statusesNamed<Status extends Pick<ProjectStatus, 'name' | 'type'>>(text: string, statuses: readonly Status[]): Status[] {
  const name = plainReading(text).toLowerCase()
  return statuses.filter((status) => (isType(text) ? status.type === text : status.name.toLowerCase() === name))
}

/** Error for text that is neither a type nor a name. */
function unknownStatus(text: string, statuses: readonly Pick<ProjectStatus, 'name' | 'type'>[]): InvalidInput {
  const types = [...new Set(statuses.map(({ type }) => type))]
  if (isType(text))
    return new InvalidInput(`This workspace has no project status of type ${quote(text)} (state); it has ${types.join(', ')}.`)
  const names = statuses.map(({ name }) => name)
  const folded = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const spelled = new Map([...names, ...types].map((each) => [each.toLowerCase(), each]))
  const [alike, ...others] = [...spelled.values()].filter((each) => isMisspelling(text, each))
  const meant = projectStates[folded] ?? (others.length === 0 ? alike : undefined)
  return new InvalidInput(
    `No project status has the type or name ${quote(text, 80)} (state). The types are ${joinWords(types)}; the names are ${joinWords(names.map((name) => quote(name, 80)))}.`,
    meant !== undefined && (meant === alike || types.includes(meant))
      ? { suggestions: [{ value: meant, parameter: 'state', confidence: 0.9 }], next: { change: { state: meant } } }
      : {},
  )
}

/**
 * The first status of a given type, or the status with a given name. Throws `InvalidInput` if there is none, or if several have the name.
 */
export function findStatus(text: string, statuses: readonly ProjectStatus[]): ProjectStatus {
  const [first, ...others] = statusesNamed(text, statuses).toSorted((a, b) => a.position - b.position)
  if (!first) throw unknownStatus(text, statuses)
  if (!isType(text) && others.length > 0)
    throw new InvalidInput(
      `Several project statuses have the name ${quote(text, 80)} (state). Pass the type of one: ${joinWords(
        [first, ...others].map(({ type }) => type),
        'or',
      )}.`,
    )
  return first
}

/** Throws `InvalidInput` for text that is not a project status, after a list filtered by it was empty. */
export async function requireStatus(linear: LinearCall, text: string): Promise<void> {
  const { project_statuses: statuses } = (await linear.send(statusNames, {})).organization
  if (statusesNamed(text, statuses).length === 0) throw unknownStatus(text, statuses)
}

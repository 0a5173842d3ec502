import { ToolError } from '@mcp-toolkits/core'
import type { ServerDefinition } from '../definition.ts'
import { type Findings, storeFindings } from './check.ts'
import { type CommandLine, UsageError } from './command.ts'
import type { Check } from './local-checks.ts'
import { peopleFindings } from './people-check.ts'
import { readPeopleOptions } from './people-options.ts'
import { namesPeople } from './people-variables.ts'

/** Whether the database of `--store`, and the identity provider and options of `--issuer`, can be used. Nothing is changed. */
export async function hostingChecks<Context>(definition: ServerDefinition<Context>, line: CommandLine): Promise<Check[]> {
  const store = line.store === undefined ? [] : [await checkOf('Store', () => storeFindings(definition, line))]
  if (!namesPeople(line, line.settings.environment)) return store
  const people = await checkOf('People', async () => {
    const options = readPeopleOptions(definition, line)
    return options === undefined ? { lines: [], warnings: [] } : peopleFindings(definition, line, options)
  })
  return [...store, people]
}

async function checkOf(name: string, find: () => Promise<Pick<Findings, 'lines' | 'warnings'>>): Promise<Check> {
  try {
    const { lines, warnings } = await find()
    return { name, state: warnings.length === 0 ? 'ok' : 'warning', text: [...lines, ...warnings].join('\n') }
  } catch (error) {
    if (error instanceof ToolError || error instanceof UsageError) return { name, state: 'problem', text: error.message }
    throw error
  }
}

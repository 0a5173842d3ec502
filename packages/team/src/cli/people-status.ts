import { existsSync } from 'node:fs'
import { ToolError } from '@mcp-toolkits/core/errors'
import { type CommandLine, type Console, UsageError, type Facts, peopleApi, printFacts, extensionFacts } from '@mcp-toolkits/server/cli'
import type { TeamServer } from '../team-server.ts'
import { openPeople, peopleFile } from './people-state.ts'

/** Prints the status of a server with an account for each person. */
export async function printPeopleStatus<Context>(definition: TeamServer<Context>, line: CommandLine, console: Console): Promise<number> {
  const { settings, issuer, publicUrl } = line
  const found = await peopleFacts(definition, line)
  const facts: Facts = {
    server: `${definition.name} ${definition.version}`,
    upstream: `${peopleApi(definition, settings) ?? definition.vendor} with each person's own account`,
    issuer,
    ...(publicUrl !== undefined && { public_url: publicUrl }),
    ...found,
    ...extensionFacts(definition, settings),
    data_directory: settings.dataDirectory,
  }
  const hint = `Accounts belong to people: \`${definition.name}-mcp people list\` shows who has connected what.`
  return printFacts(facts, { definition, line, console, hints: [hint] })
}

async function peopleFacts<Context>(definition: TeamServer<Context>, line: CommandLine): Promise<Facts> {
  const isNew = line.store === undefined && !existsSync(peopleFile(definition, line))
  if (isNew) return { people: 0, connected_accounts: 0 }
  try {
    const { state, shared, close } = await openPeople(definition, line)
    try {
      const known = await state.people.list()
      return {
        people: known.length,
        connected_accounts: known.reduce((sum, { profiles }) => sum + profiles.length, 0),
        ...(shared && { store: shared.location, schema: shared.schema }),
      }
    } finally {
      await close()
    }
  } catch (error) {
    if (error instanceof ToolError || error instanceof UsageError) return { problem: error.message }
    throw error
  }
}

import { ToolError } from '@mcp-toolkits/core'
import { credentialFile } from '@mcp-toolkits/core/accounts'
import { lackingFor } from '../accounts/scopes.ts'
import { placeOf } from '../accounts/stored-login.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { Listing } from '../listing.ts'
import { privateHosts } from '../private-hosts.ts'
import { openToolbox } from '../toolbox.ts'
import { logTo, print, printable, type Command } from './command.ts'

type Facts = Readonly<Record<string, unknown>>

/** Says what the server is connected to, as whom, and what it may do; exit code 1 when it cannot be used as configured. */
export const status: Command = async (definition, { settings, logLevel, json }, console) => {
  const toolbox = openToolbox(definition, settings, { log: logTo(console, logLevel) })
  try {
    const told = await toolbox.status()
    const facts: Facts = {
      server: `${definition.name} ${definition.version}`,
      upstream: told['upstream'],
      ...(toolbox.connected && storedFacts(definition, settings, toolbox.listing)),
      ...told,
      ...allowedFacts(definition, settings),
      data_directory: settings.dataDirectory,
    }
    const lines = Object.entries(facts).map(([name, value]) => `${name}: ${inLine(value)}`)
    await print(
      console.output,
      json ? JSON.stringify(facts, null, 2) : [...lines, ...(toolbox.connected ? [] : [definition.connectHint])].join('\n'),
    )
    return 'problem' in facts ? 1 : 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    await print(console.errors, `${definition.name}: ${error.message}`)
    return 1
  } finally {
    await toolbox.close()
  }
}

/** What an operator opened, so that it is not forgotten. */
function allowedFacts<Context>({ privateUrlsVariable }: ServerDefinition<Context>, settings: Settings): Facts {
  if (privateUrlsVariable === undefined) return {}
  const { hosts } = privateHosts(settings, privateUrlsVariable)
  return hosts.length > 0 ? { private_hosts_allowed: hosts } : {}
}

/** What is known of the login without asking anybody. Nothing, where other credentials are used. */
function storedFacts<Context>(definition: ServerDefinition<Context>, settings: Settings, listing: Listing): Facts {
  const { signIn, name } = definition
  if (!signIn || signIn.variables.before.some((variable) => settings.environment[variable] !== undefined)) return {}
  const place = placeOf(name, settings)
  const file = credentialFile(settings.dataDirectory)
  const login = file.read(place)
  if (!login) return {}
  const { identity, scopes, tokens } = login
  const lacking = definition.listed.flatMap((tool) => {
    const spelled = listing.spell(`${definition.prefix}.${tool.name}`)
    const needs = lackingFor(definition, tool, scopes)
    return spelled === undefined || needs.length === 0 ? [] : [`${spelled} (${needs.join(', ')})`]
  })
  return {
    ...identity,
    profile: place.profile,
    scopes: scopes ?? 'unknown',
    ...(tokens?.expiry && {
      token_expires_at: new Date(tokens.expiry.at).toISOString(),
      renewed_by_itself: tokens.refreshToken !== undefined,
    }),
    tools_lacking_a_scope: lacking,
    credential_file: file.path,
  }
}

function inLine(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.length > 0 ? value.join(', ') : 'none'
  return typeof value === 'string' ? printable(value) : JSON.stringify(value)
}

import { ToolError } from '@mcp-toolkits/core'
import { openToolbox } from '../toolbox.ts'
import type { Command } from './cli.ts'
import { logTo, print } from './console.ts'
import { UsageError } from './usage.ts'

/** Says what the server is connected to, and as whom; exit code 1 when it cannot be used as configured. */
export const status: Command = async (definition, { settings, logLevel, json }, console) => {
  const toolbox = openToolbox(definition, settings, { log: logTo(console, logLevel) })
  try {
    const facts = {
      server: `${definition.name} ${definition.version}`,
      ...(await toolbox.status()),
      data_directory: settings.dataDirectory,
    }
    const lines = Object.entries(facts).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
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

/** For a server whose vendor knows no sign-in. */
export const login: Command = (definition) =>
  Promise.reject(new UsageError(`${definition.title} has no sign-in. ${definition.connectHint}`))

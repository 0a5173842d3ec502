import { readFileSync } from 'node:fs'
import { systemErrorCode, ToolError } from '@mcp-toolkits/core/errors'
import { type Environment, readSecret, type Secret } from '@mcp-toolkits/core/upstream'
import { UsageError } from './command.ts'

/** The operator's secret in a variable. Throws `UsageError` for an invalid value. */
export function readOperatorSecret(environment: Environment, variable: string, label?: string): Secret | undefined {
  try {
    return readSecret(environment, variable, label)
  } catch (error) {
    throw error instanceof ToolError ? new UsageError(error.message) : error
  }
}

/**
 * The environment with values given as files: `NAME_FILE` is the path of a file with the value of `NAME`; a trailing line break is dropped.
 * Throws `UsageError` for an unreadable file, or if both variables are set.
 */
export function withSecretFiles(environment: Environment, prefixes: readonly string[]): Environment {
  const read = Object.entries(environment).flatMap(([variable, file = '']) => {
    const name = variable.replace(/_FILE$/, '')
    if (name === variable || file === '' || !prefixes.some((prefix) => variable.startsWith(prefix))) return []
    if ((environment[name] ?? '') !== '') throw new UsageError(`Set either ${name} or ${variable}, not both.`)
    return [[name, readSecretFile(file, variable)] as const]
  })
  return { ...environment, ...Object.fromEntries(read) }
}

function readSecretFile(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    throw new UsageError(`The file that ${variable} names cannot be read (${code}).`)
  }
}

/** Warns about a command line that contains the database's password; undefined for any other. */
export function passwordWarning(args: readonly string[], store: string): string | undefined {
  const url = URL.parse(store)
  if (!url || (url.password === '' && !url.searchParams.has('password'))) return undefined
  if (!args.some((arg) => arg === store || arg === `--store=${store}`)) return undefined
  return 'The password in --store is visible to everyone on this machine (ps). Put the URL in MCP_TOOLKITS_STORE, or the path of a file with it in MCP_TOOLKITS_STORE_FILE.'
}

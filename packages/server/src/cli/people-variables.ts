import type { Environment } from '@mcp-toolkits/core'
import type { CommandLine } from './command.ts'

/** Variables without an option that only a server with `--issuer` reads. */
const peopleVariables: readonly string[] = [
  'MCP_TOOLKITS_SIGN_IN_CLIENT_ID',
  'MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET',
  'MCP_TOOLKITS_SCOPES',
  'MCP_TOOLKITS_SUBJECT_CLAIM',
  'MCP_TOOLKITS_KEYS',
]

/** The first of those variables that is set; undefined when none is. */
export function findSetPeopleVariable(environment: Environment): string | undefined {
  return peopleVariables.find((variable) => (environment[variable] ?? '') !== '')
}

/** Whether an option or a variable is only for a server on which each call acts as its person. */
export function usesPeopleOptions({ issuer, publicUrl, authorizationServer, audience }: CommandLine, environment: Environment): boolean {
  return (
    issuer !== undefined ||
    publicUrl !== undefined ||
    authorizationServer ||
    audience !== undefined ||
    findSetPeopleVariable(environment) !== undefined
  )
}

import type { Environment } from '@mcp-toolkits/core'

/** The process's environment. The only place that touches it: everything else is given it as a value. */
export function environment(): Environment {
  return process.env
}

import { systemErrorCode } from '@mcp-toolkits/core/errors'
import { UsageError } from '../command.ts'

interface ListenAddress {
  readonly host: string
  readonly port: number
  /** The options that choose the address. */
  readonly options: string
}

/** Turns an address that is in use or belongs to another machine into a usage error. */
export function listenError(error: unknown, { host, port, options }: ListenAddress): unknown {
  const code = error instanceof Error && 'syscall' in error ? systemErrorCode(error) : undefined
  // A port that no client can use causes a different error.
  return code === undefined || code === 'ERR_BAD_PORT'
    ? error
    : new UsageError(`${host} port ${port} cannot be used (${code}). Choose another with ${options}.`)
}

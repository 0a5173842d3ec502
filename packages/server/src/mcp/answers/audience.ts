import type { Caller } from '@mcp-toolkits/core/base'
import type { Audience } from '@mcp-toolkits/core/errors'
import type { Settings } from '../definition.ts'

/** Audience of the server's messages: only the operator reads about the server's machines and settings. */
export function audienceOf({ isReplica, servesOtherMachines, servesPeople }: Settings, caller?: Caller): Audience {
  return caller !== undefined || isReplica === true || servesOtherMachines === true || servesPeople === true ? 'others' : 'operator'
}

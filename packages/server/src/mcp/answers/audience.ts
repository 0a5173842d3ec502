import type { Caller } from '@mcp-toolkits/core/base'
import type { Audience } from '@mcp-toolkits/core/errors'
import type { Settings } from '../definition.ts'

/** Reader of the server's texts: only the operator reads about its machines and settings. */
export function audienceOf({ isReplica, servesOtherMachines, servesPeople }: Settings, caller?: Caller): Audience {
  return caller !== undefined || isReplica === true || servesOtherMachines === true || servesPeople === true ? 'others' : 'operator'
}

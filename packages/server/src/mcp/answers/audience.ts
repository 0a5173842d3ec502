import type { Caller } from '@mcp-toolkits/core/base'
import type { Audience } from '@mcp-toolkits/core/errors'
import type { Settings } from '../definition.ts'

/** Who reads what the server says: only the operator reads about its machines and its settings. */
export function audienceOf({ isReplica, servesOtherMachines, servesPeople }: Settings, caller?: Caller): Audience {
  return caller !== undefined || isReplica === true || servesOtherMachines === true || servesPeople === true ? 'others' : 'operator'
}

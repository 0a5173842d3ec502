import { toolsOf } from '@mcp-toolkits/core/tool'
import * as batches from './batches.ts'
import * as moves from './moves.ts'
import * as places from './places.ts'
import * as relations from './relations.ts'
import * as search from './search.ts'

export const tools = toolsOf(search, batches, places, moves, relations)

import { toolsOf } from '@mcp-toolkits/core/tool'
import * as places from './places.ts'
import * as relations from './relations.ts'

export const tools = toolsOf(places, relations)

import type { ToolResource } from '@mcp-toolkits/server'

export { skills } from './generated/skills.ts'

/** No tool reads from Customer.io. */
export const resources: readonly ToolResource[] = []

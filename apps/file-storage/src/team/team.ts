import { teamOf } from '@mcp-toolkits/team'

/** The picker on a server page, and uploads waiting in a data directory. */
export const team = teamOf({
  loadConnectSteps: async (settings) => (await import('./connect-steps.ts')).connectSteps(settings),
  localWork: async (settings) => (await import('../connect.ts')).localWork(settings),
})

import { teamOf } from '@mcp-toolkits/team'

/** Keys that people enter, and the outbox in a database. */
export const team = teamOf({
  loadConnectSteps: async (settings) => (await import('./connect-steps.ts')).connectSteps(settings),
  localWork: async (settings) => (await import('./events-for-keys.ts')).unsentEvents(settings),
  parkWork: async (settings, owner, shared) => (await import('./events-for-keys.ts')).parkEvents(settings, owner, shared),
  sealedColumns: async (shared) => [
    ...(await (await import('./outbox/open.ts')).sealedColumns(shared)),
    ...(await (await import('./backfill/tables.ts')).sealedBackfillColumns(shared)),
  ],
})

import type { Team } from '@mcp-toolkits/server'
import type { TeamParts } from './team-server.ts'

export type { TeamParts } from './team-server.ts'

/** One server's team features. Each part is loaded on first use. */
export function teamOf(parts: TeamParts = {}): Team {
  return {
    people: async (definition, line, console) => (await import('./cli/people.ts')).people({ ...definition, ...parts }, line, console),
    vault: async (definition, line, console) => (await import('./cli/vault.ts')).vault({ ...definition, ...parts }, line, console),
    status: async (definition, line, console) =>
      (await import('./cli/people-status.ts')).printPeopleStatus({ ...definition, ...parts }, line, console),
    withStore: async (definition, line, work) => (await import('./cli/with-store.ts')).withStore(definition, line, work),
    readPeople: async (definition, line) => (await import('./cli/people-server.ts')).readPeople({ ...definition, ...parts }, line),
    openAudit: async (target, console) => (await import('./audit-log.ts')).auditTo(target, console),
    async checkAudit(target) {
      const { checkAudit } = await import('./audit-log.ts')
      checkAudit(target)
    },
    inspectStore: async (definition, line) => (await import('./cli/store-check.ts')).inspectStore({ ...definition, ...parts }, line),
    openProgramPeople: async (definition, settings, options) =>
      (await import('./accounts/program-people.ts')).openProgramPeople(definition, settings, options),
    programCaller: async (person) => (await import('./accounts/program-people.ts')).programCaller(person),
  }
}

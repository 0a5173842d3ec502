import { own, type Rules } from '@mcp-toolkits/emulator'
import { assumed, schema, schpet, sdkCli } from './sources.ts'

/** Projects, initiatives and cycles. */
export const plansRules = {
  'projects/progress': assumed.result(
    'Progress is the share of points that are done; a milestone’s status follows from its progress and its date.',
    'the schema also counts a quarter of the points in progress',
  ),
  'projects/histories': own('Histories of cycles and projects contain only today’s value.'),
  'projects/description-length': schpet('A project’s description has at most 255 characters.'),
  'projects/default-status': assumed.result('A new project gets the first status of the type backlog.', 'as in the app'),
  'projects/teams-replaced': sdkCli('teamIds replaces all of a project’s teams.'),
  'projects/teams-required': assumed.refusal('A project without a team is refused.', 'the schema requires teamIds'),
  'projects/lead-is-active': assumed.refusal('A project’s lead must be an active user.', 'the app offers only these'),
  'projects/update-health': assumed.result(
    'A project update without health takes the project’s health, or onTrack if there is none.',
    'the app starts with that value',
  ),
  'projects/archive-and-trash': schema('projectArchive still works although it is deprecated; projectDelete moves a project to the trash.'),
  'initiatives/projects-of-subinitiatives': schema(
    'An initiative lists the projects of its sub-initiatives unless includeSubInitiatives is false.',
  ),
  'initiatives/description-length': assumed.refusal('An initiative’s description has at most 255 characters.', 'as for projects'),
  'initiatives/status': schema('An initiative’s status is Proposed, Planned, Active, Completed or Canceled.'),
  'initiatives/project-once': schema('A project appears only once in a hierarchy of initiatives.'),
  'initiatives/project-link-twice': assumed.data('Linking a project to the same initiative again is refused.', 'it would appear twice'),
  'cycles/flags': schema('A cycle’s isActive, isPast, isFuture, isNext and isPrevious follow from the current time.'),
} as const satisfies Rules

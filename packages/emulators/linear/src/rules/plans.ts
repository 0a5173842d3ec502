import { documented, own, type Rules, seen } from '@mcp-toolkits/emulator'
import { assumed, schema, schpet, sdkCli } from './sources.ts'

/** Projects, initiatives and cycles. */
export const plansRules = {
  'projects/progress': assumed(
    'result',
    'Progress is the share of the points that are done; the status of a milestone follows from it and its date.',
    'the schema counts a quarter of what is in progress, too',
  ),
  'projects/histories': own('Histories of cycles and projects contain only today.'),
  'projects/description-length': seen(schpet, 'The description of a project has at most 255 characters.'),
  'projects/default-status': assumed('result', 'A project starts with the first status of type backlog.', 'the app does so'),
  'projects/teams-replaced': seen(sdkCli, 'teamIds replaces all teams of a project.'),
  'projects/teams-required': assumed('refusal', 'A project without a team is refused.', 'the schema requires teamIds'),
  'projects/lead-is-active': assumed('refusal', 'The lead must be an active user.', 'the app offers these'),
  'projects/update-health': assumed(
    'result',
    'An update without health takes the health of the project, or onTrack.',
    'the app begins with it',
  ),
  'projects/archive-and-trash': documented(schema, 'projectArchive still works although it is deprecated; projectDelete is the trash.'),
  'initiatives/projects-of-subinitiatives': documented(
    schema,
    'An initiative lists the projects of its sub-initiatives unless includeSubInitiatives is false.',
  ),
  'initiatives/description-length': assumed('refusal', 'The description of an initiative has at most 255 characters.', 'as for projects'),
  'initiatives/status': documented(schema, 'The status is Proposed, Planned, Active, Completed or Canceled.'),
  'initiatives/project-once': documented(schema, 'A project appears only once in a hierarchy of initiatives.'),
  'initiatives/project-link-twice': assumed('data', 'Linking a project again is refused for the same reason.', 'it would appear twice'),
  'cycles/flags': documented(schema, 'isActive, isPast, isFuture, isNext and isPrevious follow from the current time.'),
} as const satisfies Rules

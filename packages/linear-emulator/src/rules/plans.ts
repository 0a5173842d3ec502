import { assumed, documented } from '@mcp-toolkits/emulator'
import { schema } from './vendor-pages.ts'

/** Projects, initiatives and cycles. */
export const plansRules = {
  'projects/progress': assumed(
    'Progress is the share of the points that are done; the status of a milestone follows from it and its date.',
  ),
  'projects/histories': assumed('Histories of cycles and projects contain only today.'),
  'projects/description-length': assumed('The description of a project has at most 255 characters.', 'seen in an open source client'),
  'projects/default-status': assumed('A project starts with the first status of type backlog.'),
  'projects/teams-replaced': assumed('teamIds replaces all teams of a project.', 'the schema has no addedTeamIds'),
  'projects/teams-required': assumed('A project without a team is refused.'),
  'projects/lead-is-active': assumed('The lead must be an active user.'),
  'projects/update-health': assumed('An update without health takes the health of the project, or onTrack.'),
  'projects/archive-and-trash': documented(schema, 'projectArchive still works although it is deprecated; projectDelete is the trash.'),
  'initiatives/projects-of-subinitiatives': assumed(
    'An initiative lists the projects of its sub-initiatives unless includeSubInitiatives is false.',
  ),
  'initiatives/description-length': assumed('The description of an initiative has at most 255 characters.', 'as for projects'),
  'initiatives/status': documented(schema, 'The status is Proposed, Planned, Active, Completed or Canceled.'),
  'initiatives/project-once': documented(schema, 'A project appears only once in a hierarchy of initiatives.'),
  'initiatives/project-link-twice': assumed('Linking a project again is refused for the same reason.'),
  'cycles/flags': documented(schema, 'isActive, isPast, isFuture, isNext and isPrevious follow from the current time.'),
}

import type { Behaviour } from '@mcp-toolkits/emulator'
import { assumed, documented } from './rule.ts'

/** What may become of all that is no issue. */
export const others: readonly Behaviour[] = [
  assumed(
    '§1:70',
    'reply to a reply',
    'refused; so is a parent on another issue',
    'comments › are answered one level deep, on the same issue',
  ),
  assumed('§1:69', 'comments of others', 'cannot be changed: FORBIDDEN', 'comments › are changed by their author alone'),
  documented(
    '§1:100',
    'attachmentCreate twice',
    'changes the title of the first',
    'attachments › of one issue and one address are one, with the last title',
  ),
  documented('§3.3:162', 'attachmentLinkURL twice', '"Duplicate attachment for duplicate url"', 'attachments › are linked once'),
  assumed(
    '§1:100',
    'attachmentLinkURL',
    'no integration is connected: the attachment is plain',
    'attachments › are plain, as no integration is connected',
  ),
  assumed('§1:100', 'attachments: address', 'must be http or https', 'attachments › need an address: %s'),
  assumed(
    '§0:19',
    'attachments: client ids',
    'the id of another address is a conflict; a new id for an old address is not taken',
    'an id that the client minted › makes one attachment; another address with it is a conflict',
  ),
  documented('§0:16', 'short descriptions', '255 characters at most, for projects', 'projects › refuse %j'),
  assumed('§1:89', 'short descriptions: initiatives', '255 characters at most, too', 'initiatives › have short descriptions, too'),
  assumed(
    '§1:78',
    'default status',
    'the first status of type backlog',
    'projects › begin with the first status for a backlog, and posts with the health that was last told',
  ),
  documented(
    '§0:15',
    'status of initiatives',
    'Proposed, Planned, Active, Completed, Canceled; Planned when absent',
    'initiatives › have the status Planned unless told another one; none is paused',
  ),
  documented('§1:79', 'teams of a project', 'replaced as a whole', 'projects › get the teams that are given, and no others'),
  assumed('§1:79', 'teams of a project: none', 'refused', 'projects › refuse %j'),
  documented('§1:78', 'lead', 'must be active', 'projects › refuse %j'),
  assumed(
    '§1:80',
    'omitted health',
    'that of the project, or onTrack',
    'projects › begin with the first status for a backlog, and posts with the health that was last told',
  ),
  documented(
    '§0:20',
    'projectArchive',
    'still there, though deprecated; projectDelete is the trash',
    'projects › are archived, which is not the trash',
  ),
  documented(
    '§1:90',
    'project links',
    'a project once in a hierarchy of initiatives',
    'initiatives › hold a project once, and none of their family',
  ),
  assumed('§7:283', 'project link twice', 'refused for the same reason', 'initiatives › hold a project once, and none of their family'),
  assumed('§3.3:158', 'dangling ids', 'are not found, whatever points to them', 'other references › must exist, whatever points to them'),
  assumed(
    '§1:43',
    'notifications of one’s own deeds',
    'none are made',
    'subscribers of an issue › get no notification of what they did themselves',
  ),
  assumed(
    '§6:267',
    'refused mutations',
    'leave nothing behind, not even an entry among the mutations',
    'a refused mutation › leaves nothing behind, not even an entry',
  ),
]

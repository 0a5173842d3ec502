import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { chooseAll, choosePeople, RevokedAccess, revokeOn } from '../../access/revoke.ts'
import { defineTool } from '../../context.ts'
import { pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

const maxPeople = 100
const person = z.string().min(1).max(320)

export const revokeFileAccess = defineTool({
  name: 'RevokeFileAccess',
  title: 'Remove access to a file',
  description: Message.of(
    'Remove the access of people or groups to a file or folder: unshare it with them. Owners keep theirs; a role from a folder above is kept, and the result names its source.',
    sentence`To close a link, use ${{ tool: 'FileStorage.SetGeneralAccess' }}.`,
  ),
  effect: 'delete',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('File or folder'),
    people: withVocabulary(z.array(person).min(1).max(maxPeople), vocabulary.people).describe('Email addresses, or names as listed.'),
    shared_drive_id: sharedDriveId,
  }),
  output: RevokedAccess,
  example: { file_path_or_id: 'Drafts/Letter to the beta teams.txt', people: ['noah.weiss@lodestar.example'] },
  run: (args, context, call) => revokeOn(args, choosePeople(args.people), context, call),
})

export const removeAllCollaborators = defineTool({
  name: 'RemoveAllCollaborators',
  title: 'Remove the access of all others',
  description: Message.of(
    'Remove the access of all people besides yourself and the owner to a file or folder. Access by link, by the domain or from a folder above is kept, and the result names it.',
    sentence`For individual people, use ${{ tool: 'FileStorage.RevokeFileAccess' }}.`,
  ),
  effect: 'delete',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('File or folder'),
    except_people: z.array(person).max(maxPeople).default([]).describe('Email addresses or names of those who keep their access.'),
    include_groups: z.boolean().default(false).describe('Also remove groups.'),
    shared_drive_id: sharedDriveId,
  }),
  output: RevokedAccess,
  example: { file_path_or_id: 'Drafts/Letter to the beta teams.txt', except_people: ['ada.okonkwo@lodestar.example'] },
  run: (args, context, call) =>
    revokeOn(args, chooseAll({ except: args.except_people, withGroups: args.include_groups }, context), context, call),
})

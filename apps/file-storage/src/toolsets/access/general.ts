import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { setAccessOn } from '../../access/general.ts'
import { defineTool } from '../../context.ts'
import { roles } from '../../drive/permissions.ts'
import { accessChange, consentParameters } from '../../drive/sharing/access.ts'
import { circles } from '../../drive/sharing/general-access.ts'
import { pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'
import { circleSynonyms, readRole, roleSynonyms } from '../../vocabulary/values.ts'

export const setGeneralAccess = defineTool({
  name: 'SetGeneralAccess',
  title: 'Set the general access to a file',
  description: Message.of(
    'Open a file or folder, with all that is in it, to anyone with the link or to the domain, or restrict it to the people it is shared with. Shows who could see it before and who can after; if that is more people, the user must agree.',
    sentence`For individual people, use ${{ tool: 'FileStorage.ShareFile' }}.`,
  ),
  effect: 'update',
  writes: ({ dry_run }) => !dry_run,
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('File or folder'),
    access: withVocabulary(z.enum(circles), { ...vocabulary.generalAccess, values: circleSynonyms })
      .optional()
      .describe('restricted: only people it is shared with; domain: the organization; anyone: with the link. Default: unchanged.'),
    role: withVocabulary(z.enum(roles), { ...vocabulary.role, values: roleSynonyms, read: readRole })
      .optional()
      .describe('Role of the domain or anyone. Default: unchanged, or else reader.'),
    allow_discovery: z.boolean().optional().describe('Whether a search also finds it. Default: unchanged, or else false.'),
    shared_drive_id: sharedDriveId,
    ...consentParameters,
  }),
  output: z.object({ item: z.object({ id: z.string(), name: z.string() }), changed: z.boolean(), ...accessChange }),
  example: { file_path_or_id: 'Team/Working agreement.md', access: 'domain', confirm: true },
  run: async (args, context, call) => setAccessOn(args, context, call),
})

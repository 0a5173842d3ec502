import { member, stringMember } from '@mcp-toolkits/core/base'
import type { ToolResource } from '@mcp-toolkits/server'

export { skills } from './generated/skills.ts'

/** Types with no text to read, such as pictures, folders and forms. */
const withoutText = /^(image|audio|video)\/|^application\/vnd\.google-apps\.(?!document|spreadsheet|presentation)/

export const resources: readonly ToolResource[] = [
  {
    name: 'file',
    title: 'File',
    description: 'The text of a file in Google Drive, by its id, path or link: its first part, if it is long.',
    uriTemplate: 'drive://file/{file_path_or_id}',
    tool: 'ReadFile',
    text: 'text',
    findIn: ({ file, item = file }) =>
      withoutText.test(stringMember(item, 'mime_type') ?? '') ? [] : [{ id: member(item, 'id'), name: stringMember(item, 'name') }],
  },
]

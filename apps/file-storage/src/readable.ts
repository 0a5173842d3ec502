import type { ToolResource } from '@mcp-toolkits/server'

export { skills } from './generated/skills.ts'

export const resources: readonly ToolResource[] = [
  {
    name: 'file',
    title: 'File',
    description: 'The text of a file in Google Drive, by its id, path or link: its first part, if it is long.',
    uriTemplate: 'drive://file/{file_path_or_id}',
    tool: 'ReadFile',
    text: 'text',
  },
]

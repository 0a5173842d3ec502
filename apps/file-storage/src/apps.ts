import type { App } from '@mcp-toolkits/server'

export const apps: readonly App[] = [
  {
    name: 'files',
    title: 'Files',
    description: 'The files of a tree or a search. The person opens folders, chooses items, and shares one after seeing who can see it.',
    shows: ['GetFileTreeStructure', 'SearchFiles'],
    calls: ['ListFilePermissions', 'ShareFile'],
    load: () => import('./generated/files.ts'),
  },
]

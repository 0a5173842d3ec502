/** Requests for skills, prompts and resources. */
export const readingMethods = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'skills/list',
  'skills/get',
] as const

export type ReadingMethod = (typeof readingMethods)[number]

/** Skills count as prompts (https://modelcontextprotocol.io/extensions/skills/overview). */
export const readingCapabilities = { resources: {}, prompts: {}, extensions: { 'io.modelcontextprotocol/skills': {} } }

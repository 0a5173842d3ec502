import { isObject } from '@mcp-toolkits/core/base'

/** The text of a document in ProseMirror's or Jira's format, if it has only plain paragraphs. */
export const textOf = (parameter: string) => (written: unknown) => {
  const text = isObject(written) && written['type'] === 'doc' ? plainText(written) : undefined
  return text === undefined ? undefined : { [parameter]: text.trim() }
}

function plainText(node: unknown): string | undefined {
  if (!isObject(node) || node['marks'] !== undefined) return undefined
  const { type, text, content = [] } = node
  if (type === 'text') return typeof text === 'string' ? text : undefined
  if (type === 'hardBreak' || type === 'hard_break') return '\n'
  const parts = (type === 'doc' || type === 'paragraph') && Array.isArray(content) ? content.map(plainText) : [undefined]
  return parts.includes(undefined) ? undefined : parts.join('') + (type === 'paragraph' ? '\n\n' : '')
}

import { NotFound } from '@mcp-toolkits/core'
import { quoted, tidy } from '../linear/references.ts'

/** Whether a person is named as the caller. */
export function isMe(person: string | undefined): boolean {
  return person?.trim().toLowerCase() === '@me'
}

/** What is said of a word by which callers mean themselves, where nobody is called so; nothing of any other name. */
export function refusalOfMe(parameter: string, person: string): NotFound | undefined {
  if (!['me', 'myself', 'self', 'i'].includes(tidy(person).toLowerCase())) return undefined
  return new NotFound(`No person matches ${quoted(person)} (${parameter}). The current user is "@me".`, {
    suggestions: [{ value: '@me', confidence: 1 }],
    next: { change: { [parameter]: '@me' } },
  })
}

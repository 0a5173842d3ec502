import type { Page } from '@mcp-toolkits/auth/authorization'
import type { AccountInfo } from '@mcp-toolkits/auth/stored-login'
import { Forbidden } from '@mcp-toolkits/core'

/** The pages to which the browser returns from Google's picker. */

export function otherPersonPage({ account: name = '' }: AccountInfo, expected: string): Page {
  const paragraphs = [
    `You chose files as ${name}, and the server works as ${expected}, so it cannot use them.`,
    'Ask for a new address, and choose as that person. You can close this page.',
  ]
  return { status: 400, title: 'These files are of another account', paragraphs }
}

export function chosenPage(count: number | undefined, more: readonly string[]): Page {
  const chosen = count === undefined ? 'What you chose' : `You chose ${count === 1 ? '1 item, which' : `${count} items, which`}`
  const paragraphs = [`${chosen} can be used now.`, ...more, 'Go back and have the last step repeated. You can close this page.']
  return { status: 200, title: 'Your files are ready', paragraphs }
}

export const nothingChosenPage: Page = {
  status: 400,
  title: 'No files were chosen',
  paragraphs: [
    'You chose nothing, and nothing has changed.',
    'To choose after all, go back and ask for a new address. You can close this page.',
  ],
}

export function failedPage(error: unknown): Page {
  const reason = error instanceof Forbidden ? 'You gave no access, and nothing has changed.' : 'Google did not confirm what you chose.'
  const paragraphs = [reason, 'To choose again, go back and ask for a new address. You can close this page.']
  return { status: 400, title: 'No files were chosen', paragraphs }
}

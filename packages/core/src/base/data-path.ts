import { lstatSync } from 'node:fs'
import path from 'node:path'
import { Unavailable } from '../errors/errors.ts'
import { Message, sentence } from '../errors/message.ts'

/**
 * The path of a file or folder inside a data directory. The data directory itself may be a symbolic link; nothing inside it may be one,
 * because a link could redirect our writes and mode changes to another program's files. Throws `Unavailable`.
 */
export function dataPath(dataDirectory: string, ...names: readonly string[]): string {
  let current = dataDirectory
  for (const name of names) {
    current = path.join(current, name)
    if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw linkRefused(current)
  }
  return current
}

function linkRefused(link: string): Unavailable {
  const text = Message.of(
    `${link} is a symbolic link, but the data directory may contain only real files and folders.`,
    sentence`Replace the link with the file or folder that it points to, or choose another data directory with ${{ option: '--data-dir' }}, which may be a link itself.`,
  )
  return new Unavailable(text, { retryable: false })
}

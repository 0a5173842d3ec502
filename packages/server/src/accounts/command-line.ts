import type { Settings } from '../definition.ts'

/** A command for the person to run, with the options that lead it to the logins that this server uses. */
export function commandLine(
  server: string,
  { dataDirectory, dataDirectoryIsChosen = false, profile }: Pick<Settings, 'dataDirectory' | 'dataDirectoryIsChosen' | 'profile'>,
  words: readonly string[],
): string {
  const options = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(dataDirectoryIsChosen ? ['--data-dir', dataDirectory] : []),
  ]
  return [`${server}-mcp`, ...words, ...options].map(quoted).join(' ')
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Whether a text can be meant as a directory: an empty one would be the working directory, and `${…}` was to be replaced by a host. */
export function isDirectoryPath(text: string): boolean {
  return text.trim() !== '' && !text.includes('${')
}

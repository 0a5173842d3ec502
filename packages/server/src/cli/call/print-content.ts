import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Answer } from '../../mcp/answers/answer.ts'
import type { CallOptions } from '../../mcp/calls/toolbox.ts'
import { type Console, print, UsageError } from '../command.ts'
import { download, type DownloadRequest } from '../commands/download.ts'

/**
 * Downloads to a temporary file, and prints it once it is complete: no program reads a half of it. Throws `UsageError` where a terminal
 * would get bytes that are no text.
 */
export async function printContent(
  request: Omit<DownloadRequest, 'file'>,
  options: CallOptions,
  { output }: Pick<Console, 'output'>,
): Promise<Answer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'download-'))
  try {
    const file = path.join(directory, 'content')
    const answer = await download({ ...request, file }, options)
    if (!answer.ok) return answer
    if (output.isTTY === true) await print(output, await readText(file))
    // The command says why its output cannot be written, unless the reader has left early.
    else await pipeline(createReadStream(file), output, { end: false }).catch(() => undefined)
    return answer
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readText(file: string): Promise<string> {
  const content = await readFile(file)
  if (isUtf8(content) && !content.includes(0)) return content.toString('utf8')
  throw new UsageError('The content is no text, and a terminal cannot show it. Pipe it to a program, or name a file: --output FILE.')
}

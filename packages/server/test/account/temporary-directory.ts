import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'accounts-'))
  onTestFinished(async () => {
    await chmod(directory, 0o700)
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}

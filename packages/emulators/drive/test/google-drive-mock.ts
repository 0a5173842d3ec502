import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'

const suite = path.join(import.meta.dirname, '..', 'node_modules', 'google-drive-mock', 'test')

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.enum(['passed', 'failed', 'pending', 'skipped', 'todo', 'disabled']) }),
      ),
    }),
  ),
})

/** Replacement for a package that the suite needs only during development. */
const wait = `export async function waitUntil(isTrue) {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}
`
const config = `import path from 'node:path'
const alias = { 'async-test-util': path.join(import.meta.dirname, 'wait.ts') }
export default { resolve: { alias }, test: { testTimeout: 30_000 } }
`

/** A test in the suite: its file and its name. */
export interface SuiteTest {
  readonly name: string
  readonly status: string
}

/** Runs google-drive-mock's tests against an emulator at this port, which accepts the token `valid-token`. */
export async function runSuite(port: string): Promise<SuiteTest[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'google-drive-mock-'))
  try {
    cpSync(suite, path.join(directory, 'test'), { recursive: true })
    symlinkSync(path.join(import.meta.dirname, '..', 'node_modules'), path.join(directory, 'node_modules'))
    writeFileSync(path.join(directory, 'wait.ts'), wait)
    writeFileSync(path.join(directory, 'vitest.config.ts'), config)
    const vitest = path.join(directory, 'node_modules', 'vitest', 'vitest.mjs')
    const report = path.join(directory, 'report.json')
    const args = [vitest, 'run', '--root', directory, '--no-file-parallelism', '--reporter=json', `--outputFile=${report}`]
    const variables = { PORT: port, TEST_TARGET: 'mock', USE_SHARED_MOCK: 'true', GDRIVE_TOKEN: 'valid-token' }
    const child = spawn(process.execPath, args, { cwd: directory, env: { PATH: process.env['PATH'], ...variables }, stdio: 'ignore' })
    await once(child, 'exit')
    const { testResults } = Report.parse(JSON.parse(readFileSync(report, 'utf8')))
    return testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({ name: `${path.basename(file)}: ${fullName}`, status })),
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

// Counts the tests in the reports that vitest wrote for each package, for the last line of .ci/run, and names those that failed: the end of
// a log is what people read. A test that does not run cannot fail, so a skipped test counts as failed.
import { globSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const reports = globSync('{apps/*,e2e,lab,lint,scripts,packages/*,packages/emulators/*}/.turbo/tests*.json', { cwd: root })
if (process.argv.includes('--remove')) for (const report of reports) rmSync(path.join(root, report))
else {
  const counts = reports.map((report) => JSON.parse(readFileSync(path.join(root, report), 'utf8')))
  const passed = counts.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0)
  const failed = counts.reduce((sum, { numFailedTests, numPendingTests, numTodoTests, testResults }) => {
    const broken = testResults.filter(
      (/** @type {{ status: string, assertionResults: unknown[] }} */ file) =>
        file.status === 'failed' && file.assertionResults.length === 0,
    )
    const skipped = numPendingTests + numTodoTests
    if (skipped > 0) console.error(`${skipped} tests were skipped; with CI=true none may be.`)
    return sum + numFailedTests + skipped + broken.length
  }, 0)
  for (const { name, status, message, assertionResults } of counts.flatMap(({ testResults }) => testResults)) {
    if (status !== 'failed') continue
    console.error(`FAILED ${path.relative(root, name)} ${message}`)
    for (const { status: outcome, fullName, failureMessages } of assertionResults) {
      if (outcome === 'failed') console.error(`  ${fullName}\n    ${failureMessages.join('\n').slice(0, 2000)}`)
    }
  }
  console.log(`${passed} passed, ${failed} failed`)
}

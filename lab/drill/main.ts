// Rehearses the procedures in docs/operations.md, and prints what happens; with `--quick`, on fewer replicas. Needs the Debian packages
// postgresql, pgbouncer and nginx.
import { startPostgres } from '../../packages/testing/src/postgres/postgres.ts'
import { backup } from './backup.ts'
import { type Drill, operate, type Rehearsal } from './drill.ts'
import { keyRotation } from './key-rotation.ts'
import { leavingPerson } from './leaving-person.ts'
import { upgrade } from './upgrade.ts'
import { vendorOutage } from './vendor-outage.ts'

const rehearsals: readonly Rehearsal[] = [vendorOutage, keyRotation, backup, leavingPerson, upgrade]

class Failure extends Error {}

const print = (text: string) => process.stdout.write(`${text}\n`)

const postgres = await startPostgres()
const drill: Drill = {
  postgres,
  operate,
  ...(process.argv.includes('--quick') ? { replicas: 2, restarts: 2 } : { replicas: 3, restarts: 20 }),
  step: (text) => print(`  - ${text}`),
  see(text, isRight) {
    print(`  ${isRight ? '✓' : '✗'} ${text}`)
    if (!isRight) throw new Failure(text)
  },
}
let failed = 0
print(`PostgreSQL ${postgres.version}, PgBouncer and nginx run on this machine.`)
for (const { title, run } of rehearsals) {
  print(`\n${title}`)
  try {
    await run(drill)
  } catch (error) {
    failed += 1
    if (!(error instanceof Failure)) print(`  ✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
await postgres.stop()
print(`\n${rehearsals.length - failed} rehearsals passed, ${failed} failed.`)
process.exitCode = failed === 0 ? 0 : 1

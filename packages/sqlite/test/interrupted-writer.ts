import { openAsyncStore } from '../src/async-store.ts'

// Run by async-store.test.ts. Kills itself between two steps of a write, after a complete write; with a second argument, after a write that
// is not durable.
const [file = '', kind] = process.argv.slice(2)
let now = 0
const clock = {
  monotonic: () => (now += 10),
  sleep: () => Promise.resolve(),
  timer: () => ({ cancel: () => undefined, restart: () => undefined }),
}
const store = await openAsyncStore({
  file,
  migrations: ['create table things (id integer primary key, name text not null)'],
  clock,
})
await store.write((tables) => tables.run(`insert into things (name) values ('before')`))
if (kind === 'relaxed') {
  await store.write((tables) => tables.run(`insert into things (name) values ('relaxed')`), { isDurable: false })
  process.kill(process.pid, 'SIGKILL')
}
await store.writeInSteps(function* (tables) {
  // More than SQLite's cache holds, so that a part of it is already in the file.
  for (let step = 0; step < 100; step += 1) {
    tables.run('insert into things (name) values (:name)', { name: 'x'.repeat(100_000) })
    if (step === 90) setImmediate(() => process.kill(process.pid, 'SIGKILL'))
    yield
  }
})

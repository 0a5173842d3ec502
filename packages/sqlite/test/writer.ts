import { integer, openStore } from '../src/store.ts'

// Several of these processes run at once in store.test.ts. Each increments the same counter, as often as its argument says.
const [file = '', times = '0'] = process.argv.slice(2)
const store = openStore({
  file,
  migrations: ['create table counter (n integer not null)', 'insert into counter values (0)'],
})
await store.ready()
for (let i = 0; i < Number(times); i += 1) {
  await store.write(() => {
    const n = store.rows({ n: integer }, 'select n from counter')[0]?.n ?? 0
    store.run('update counter set n = :n', { n: n + 1 })
  })
}
await store.close()

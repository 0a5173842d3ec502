import { isProcessLockHeld, openProcessLock, type Store, StoreError, text } from '@mcp-toolkits/sqlite'

/** Address of the workspace's pages, for every process using the data. */
export interface WorkspaceAddress {
  /** `http://127.0.0.1:PORT/workspace`, even if another process serves it; undefined while none does. */
  readonly current: () => string | undefined
  /** Announces an address, until the returned function is called or this process ends in any way. */
  readonly announce: (url: string) => Promise<() => Promise<void>>
  /** Announces this process's addresses again, after a reset. */
  readonly renew: () => void
}

const table = 'create table if not exists emulator_workspaces (url text primary key, lock text not null) strict'
const isThere = "select name from sqlite_master where name = 'emulator_workspaces'"

/** Ignores a locked database: other workspaces lose only a link. */
async function lenient(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error
  })
}

/** Stores addresses in one of the emulator's own tables, each with a lock that the serving process holds. */
export function workspaceAddress(store: Store, file: string): WorkspaceAddress {
  const announced = new Map<string, string>()
  const directory = `${file}.locks`
  const insert = () => {
    for (const [url, lock] of announced) store.run('insert or replace into emulator_workspaces values (:url, :lock)', { url, lock })
  }
  return {
    current() {
      const own = [...announced.keys()].at(-1)
      if (own !== undefined || file === ':memory:') return own
      if (store.rows({ name: text }, isThere).length === 0) return undefined
      const known = store.rows({ url: text, lock: text }, 'select url, lock from emulator_workspaces order by rowid desc limit 20')
      return known.find(({ lock }) => isProcessLockHeld(directory, lock))?.url
    },
    async announce(url) {
      if (file === ':memory:') {
        announced.set(url, '')
        return () => Promise.resolve(void announced.delete(url))
      }
      const lock = openProcessLock(directory)
      announced.set(url, lock.id)
      await lenient(
        store.write(() => {
          store.script(table)
          store.run('delete from emulator_workspaces where url = :url', { url })
          insert()
        }),
      )
      return async () => {
        announced.delete(url)
        // From now on, readers of the row see that the lock is free.
        lock.close()
        await lenient(store.write(() => store.run('delete from emulator_workspaces where url = :url', { url })))
      }
    },
    renew() {
      if (announced.size > 0 && file !== ':memory:') store.writeNow(insert)
    },
  }
}

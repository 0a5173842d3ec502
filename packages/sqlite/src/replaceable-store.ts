import { type AsyncStore, type AsyncStoreOptions, openAsyncStore } from './async-store.ts'
import { StoreError } from './errors.ts'
import { fileIdentity, setAsideFile } from './private-file.ts'

export interface ReplaceableStoreOptions extends AsyncStoreOptions {
  readonly clock: AsyncStoreOptions['clock'] & { readonly now: () => number }
  /** Called when a new database has replaced a damaged one, with the damaged file's new path; undefined if another process moved it. */
  readonly onReplaced: (moved: string | undefined) => void
}

/** A database, and the identity of the file it was opened from. */
interface Opened {
  readonly store: AsyncStore
  readonly identity: string | undefined
}

/**
 * Opens a database whose content is expendable. A damaged database is moved aside when the damage is found, which may be late: SQLite opens
 * any file whose first page is intact. The work that hit the damage is redone on a new database.
 */
export async function openReplaceableStore(options: ReplaceableStoreOptions): Promise<AsyncStore> {
  let current = open(options)
  const inCurrent = async <Result>(work: (store: AsyncStore) => Promise<Result>): Promise<Result> => {
    const used = current
    const { store, identity } = await used
    try {
      return await work(store)
    } catch (error) {
      if (!isUseless(error, options)) throw error
      // Other calls may also have hit the damage.
      if (current === used) current = store.close().then(async () => replace(identity, error, options))
      return work((await current).store)
    }
  }
  await current
  return {
    read: async (work) => inCurrent((store) => store.read(work)),
    write: async (work, writeOptions) => inCurrent((store) => store.write(work, writeOptions)),
    writeInSteps: async (work, signal) => inCurrent((store) => store.writeInSteps(work, signal)),
    watch: async () => inCurrent((store) => store.watch()),
    async close() {
      const last = await current.catch(() => undefined)
      await last?.store.close()
    },
  }
}

/** True for an error after which an open database is useless: the file is damaged, or has been replaced. */
function isUseless(error: unknown, { file }: Pick<ReplaceableStoreOptions, 'file'>): boolean {
  if (!(error instanceof StoreError)) return false
  return error.problem === 'corrupt' || (error.problem === 'gone' && fileIdentity(file) !== undefined)
}

async function open(options: ReplaceableStoreOptions): Promise<Opened> {
  const { file } = options
  const identity = fileIdentity(file)
  try {
    return { store: await openAsyncStore(options), identity: fileIdentity(file) }
  } catch (error) {
    if (!(error instanceof StoreError) || error.problem !== 'corrupt') throw error
    return replace(identity, error, options)
  }
}

/** Opens a new database once the damaged file, recognized by its identity, is out of the way. Another process may already have moved it. */
async function replace(identity: string | undefined, error: unknown, options: ReplaceableStoreOptions): Promise<Opened> {
  const { file, clock, onReplaced } = options
  const isThere = fileIdentity(file) === identity
  const moved = isThere ? setAsideFile(file, clock.now()) : undefined
  if (isThere && moved === undefined) throw error
  const store = await openAsyncStore(options)
  onReplaced(moved)
  return { store, identity: fileIdentity(file) }
}

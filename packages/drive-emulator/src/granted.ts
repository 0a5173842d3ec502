import type { Store } from '@mcp-toolkits/store'

/** Gives the app items; with a folder it is not given what is in it. */
export function grantItems(store: Store, ids: readonly string[]): void {
  store.write(() => {
    for (const id of ids) setGranted(store, id, true)
  })
}

export function setGranted(store: Store, id: string, granted: boolean): void {
  store.run('update files set granted = :granted where id = :id', { id, granted: Number(granted) })
}

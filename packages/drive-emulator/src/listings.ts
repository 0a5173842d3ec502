import type { Listing } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/store'
import { latestMails, latestMutations, listMails, listMutations } from './readers.ts'

/** What was changed, for the emulator’s own page. */
export const mutationListing = (store: Store): Listing => ({
  name: 'mutations',
  title: 'Mutations',
  columns: ['id', 'at', 'method', 'fileId'],
  list: (range) => listMutations(store, range),
  latest: (count) => latestMutations(store, count),
})

/** Who was told of what, for the same. */
export const mailListing = (store: Store): Listing => ({
  name: 'mails',
  title: 'Mails',
  columns: ['id', 'at', 'fileId', 'recipient', 'role', 'message'],
  list: (range) => listMails(store, range),
  latest: (count) => latestMails(store, count),
})

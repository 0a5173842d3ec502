import type { ListRange, PageTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'

const mail = { id: integer, at: text, fileId: text, recipient: text, role: text, message: nullable(text) }

/** A notification mail. */
export type DriveMail = RowOf<typeof mail>

/** Mails after the one with the id `after`. */
export const listMails = (store: Store, { after = 0, limit = -1 }: ListRange = {}): DriveMail[] =>
  store.rows(mail, 'select * from mails where id > :after order by id limit :limit', { after, limit })

/** The newest mails, newest first. */
export const latestMails = (store: Store, count: number): DriveMail[] =>
  store.rows(mail, 'select * from mails order by id desc limit :count', { count })

/** The notification mails, as a table on the emulator’s page. */
export const mailTable = (store: Store): PageTable => ({
  name: 'mails',
  title: 'Mails',
  columns: ['id', 'at', 'fileId', 'recipient', 'role', 'message'],
  list: (range) => listMails(store, range),
  latest: (count) => latestMails(store, count),
})

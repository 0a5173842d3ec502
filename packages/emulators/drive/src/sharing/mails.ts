import { logTable, type LogTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'

const columns = { id: integer, at: text, fileId: text, recipient: text, role: text, message: nullable(text) }

/** A notification mail. */
export type DriveMail = RowOf<typeof columns>

/** The notification mails. */
export const mailTable = (store: Store): LogTable<DriveMail> => logTable(store, { name: 'mails', title: 'Mails', columns, from: 'mails' })

export { blob, integer, nullable, text, type RowOf, type Columns } from './columns.ts'
export { openStore, type Store, type StoreOptions, type SqlParameters } from './store.ts'

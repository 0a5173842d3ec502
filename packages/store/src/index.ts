export { blob, integer, optional, text, type RowOf, type Shape } from './rows.ts'
export { openStore, type Store, type StoreOptions, type Values } from './store.ts'

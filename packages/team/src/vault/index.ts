export { openPeopleFile, type PeopleFile } from './people-file.ts'
export { plainSealer, readVaultKeys, type Sealer, type VaultKey } from './sealer.ts'

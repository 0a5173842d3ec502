export { encodeGrant, endGrant, grantStore, keyInGrant } from './grants.ts'
export { openPeopleToolbox } from './people-toolbox.ts'
export { sharedTokenStore } from './shared-login-store.ts'

// What a start needs to know who is signed in. All else about accounts is loaded by the first call, or by signing in.
export { credentialFile, type CredentialFile, type Place } from './credential-file.ts'
export { isFor, type Login } from './login.ts'

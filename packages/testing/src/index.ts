export { hosted, type Hosted } from './hosted.ts'
export { connect, errorIn, type Connected, type ConnectSettings } from './connect.ts'
export { contract, type ContractOptions } from './contract.ts'

export {
  connect,
  connectLibrary,
  connectProgram,
  parseError,
  type ConnectedLibrary,
  type ConnectedProgram,
  type ConnectedServer,
  type ConnectSettings,
} from './connect.ts'
export { appToolsContract, contract, type ContractOptions, toolsetAlone, toolsetContract } from './contract.ts'
export { fetchPage, type LoadedPage } from './people/person-browser.ts'
export {
  countRequests,
  runCaller,
  runCommand,
  runProgram,
  runCallers,
  startCaller,
  startCommand,
  startInTerminal,
  startProgram,
  successLine,
  type CallerOptions,
  type ProgramEnvironment,
  type ProgramResult,
  type RunningProgram,
} from './program.ts'
export { isCI, isFull, runs, shareOf } from './runs.ts'
export {
  collectErrors,
  echoingResponses,
  echoingVendors,
  expectNoEcho,
  expectNoSecrets,
  formsOf,
  withAuthorization,
  type EchoingVendor,
} from './secrets.ts'
export { dataDirectoryContract, type DataDirectoryOptions } from './data-directory.ts'
export { connectTasks, connectTasksAt, type TaskClient, type TaskClientOptions } from './tasks.ts'

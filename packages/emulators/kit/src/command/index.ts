export { type CommandDescription, webhookOptions } from './command.ts'
export { launch } from './launch.ts'

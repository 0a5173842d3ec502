import type { CallAudit } from '../../mcp/calls/audited-call.ts'
import type { Settings } from '../../mcp/definition.ts'
import type { SharedStore } from '../../storage/shared-store.ts'
import { type HostedServer, teamOf } from '../../team.ts'
import type { Log } from '../../mcp/log.ts'
import { embeddedNotice, openToolbox } from '../../mcp/calls/toolbox.ts'
import { type CommandLine, type Console } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import { type Address, checkUpstream, readAddress, showsWorkspace, usesPeopleOptions } from '../options/http-options.ts'
import { startTelemetry } from '../process/start-telemetry.ts'

/** Serves Streamable HTTP until a signal arrives, and then answers the calls in flight. */
export const http: Command = async (definition, line, console) => {
  const people = usesPeopleOptions(line, console.environment) ? await (await teamOf(definition)).readPeople(definition, line) : undefined
  const address = readAddress(line, console.environment, people)
  if (line.check) return (await import('../checks/http-check.ts')).check(definition, { line, address, people }, console)
  if (people) return people.serve(address, console)
  if (line.store === undefined) return serve(definition, { settings: line.settings, line, address }, console)
  const { withStore } = await teamOf(definition)
  return withStore(definition, line, (settings, shared) => serve(definition, { settings, shared, line, address }, console))
}

interface AuditPlace {
  readonly line: CommandLine
  readonly settings: Settings
  readonly shared: SharedStore | undefined
  readonly log: Log
}

/** The audit log for `--audit`. It names the service account behind all calls, if there is one. */
async function openAudit<Context>(
  definition: HostedServer<Context>,
  { line, settings, shared, log }: AuditPlace,
  console: Console,
): Promise<CallAudit | undefined> {
  if (line.audit === undefined) return undefined
  const [team, { serviceAccountOf }] = await Promise.all([teamOf(definition), import('../../account/service-account.ts')])
  const service = definition.account && serviceAccountOf(definition.account, settings)?.email
  return team.openAudit({ target: line.audit, shared, service, log }, console)
}

interface Serving {
  readonly settings: Settings
  readonly line: CommandLine
  readonly address: Address
  readonly shared?: SharedStore
}

async function serve<Context>(
  definition: HostedServer<Context>,
  { settings: given, line, address, shared }: Serving,
  console: Console,
): Promise<number> {
  const settings = { ...given, servesOtherMachines: address.servesOtherMachines }
  const log = logTo(definition, console, line.logLevel)
  const audit = await openAudit(definition, { line, settings, shared, log }, console)
  const measuring = await startTelemetry(definition, { line, shared, audit, log }, console)
  const toolbox = openToolbox(definition, settings, { log, audit, ...(shared && { shared }), ...measuring?.hooks })
  checkUpstream(toolbox, settings, address)
  if (toolbox.embedded) log.warn(String(embeddedNotice(definition)))
  const { warnAtStart } = await import('../checks/settings-warnings.ts')
  await warnAtStart(definition, { settings, isEmbedded: toolbox.embedded }, log)
  const { serveUntilSignal } = await import('../process/serve-http.ts')
  const fromStore = shared && { stateKey: shared.stateKey, checkReady: shared.checkReady }
  try {
    const startBeside = showsWorkspace(toolbox, address)
      ? async () =>
          (await import('./emulator.ts')).serveWorkspace(definition, { settings, port: address.port, log, tasks: toolbox.tasks }, console)
      : undefined
    return await serveUntilSignal(
      definition,
      toolbox,
      { address, log, notes: measuring?.notes, startBeside, shared, ...fromStore },
      console,
    )
  } finally {
    await measuring?.close()
  }
}

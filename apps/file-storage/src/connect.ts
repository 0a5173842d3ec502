import { existsSync, readdirSync } from 'node:fs'
import { commandLine, describeAccount } from '@mcp-toolkits/server/account'
import { dataPath, lazyLocks, once, recordOwner, systemClock } from '@mcp-toolkits/core/base'
import { count, Message, sentence, ToolError } from '@mcp-toolkits/core/errors'
import { guardedFetch } from '@mcp-toolkits/core/upstream'
import type { Connection, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import type { ProcessLock } from '@mcp-toolkits/sqlite'
import { account, embeddedToken } from './account.ts'
import type { Context } from './context.ts'
import { getOwnerId } from './drive/about.ts'
import { pathScopes } from './drive/paths.ts'
import { driveClient, idGenerator } from './drive/client.ts'
import { DownloadSessions } from './drive/content/downloads.ts'
import { filePicker } from './picker/file-picker.ts'
import type { ReplicaState } from './team/replica-state.ts'
import { FileResumeStates } from './upload/resume-state-files.ts'
import { privateHosts, uploadLimit } from './upload/upload-settings.ts'
import { type Drive, type DriveOptions, openDrive, openEmbeddedDrive, perPerson, type SignedInPerson } from './vendor.ts'

/** Source timeouts, shorter than clients usually wait. */
const sourceLimits = { headersMs: 20_000, idleMs: 25_000 }
/** Maximum size of a file in Drive: 5,120 GB. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/create */
const maxFileBytes = 5_120 * 1024 ** 3

/** Connects to the environment's account, the stored login or the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, options: DriveOptions = {}): Promise<Connection<Context>> {
  const { clock = systemClock, telemetry } = options
  const vendor = await openDrive(settings, options)
  const shared = options.shared && (await (await import('./team/replica-state.ts')).replicaState(options.shared, { vendor, clock }))
  const local = lazyLocks(async () => {
    const { openLocalState } = await import('@mcp-toolkits/server/storage')
    return openLocalState({ file: dataPath(settings.dataDirectory, account.server, 'state.db'), clock, log: options.log })
  })
  const locks = options.shared?.locks ?? options.locks ?? local.locks
  const drive = driveClient({ ...vendor, clock, limits: shared?.limits, keys: shared?.resourceKeys, telemetry })
  const picker = filePicker({ settings, vendor, ...options })
  let openLock: ProcessLock | undefined
  const processLock = once(async () => {
    const { openProcessLock } = await import('@mcp-toolkits/sqlite')
    return (openLock = openProcessLock(dataPath(settings.dataDirectory, account.server, 'locks')))
  })
  const context = perPerson(vendor.currentPerson, (person) =>
    contextFor(person, { settings, vendor, drive, picker, locks, shared, processLock }),
  )
  return {
    get context() {
      return context()
    },
    accountId: vendor.accountId,
    ...(vendor.scopes && { scopes: vendor.scopes }),
    pendingPages: picker.pendingPages,
    recordCall: vendor.recordCall,
    async status() {
      const described = await describeAccount(account, vendor, clock)
      const person = await vendor.currentPerson().catch((error: unknown) => {
        // A login that has ended names no person, and its description says so.
        if ('problem' in described && error instanceof ToolError) return undefined
        throw error
      })
      return {
        ...described,
        ...(person && seesOnlyChosenFiles(person.scopes) && { visible_files: [onlyChosenFiles, ...widenSignIn(settings)].join(' ') }),
      }
    },
    async close() {
      await picker.close()
      await vendor.close()
      openLock?.close()
      await local.close()
    },
  }
}

/** Loads the modules that `connect` needs. */
export async function preload(isEmbedded: boolean): Promise<unknown> {
  return isEmbedded ? import('@mcp-toolkits/drive-emulator') : undefined
}

/** The emulator, with what other clients need to reach it. */
export async function emulator(settings: Settings): Promise<EmulatorHandle & { readonly hint: string }> {
  const { id, secret = '' } = (await import('@mcp-toolkits/drive-emulator')).localClient
  return {
    ...(await openEmbeddedDrive(settings)),
    hint: [
      `Root URL {url}/, access token ${embeddedToken.reveal()}; the page at {url}/ shows what arrived.`,
      `To sign in there: FILE_STORAGE_CLIENT_ID=${id} FILE_STORAGE_CLIENT_SECRET=${secret} FILE_STORAGE_AUTH_URL={url} FILE_STORAGE_API_URL={url} file-storage-mcp login`,
    ].join('\n'),
  }
}

interface ConnectContext extends Pick<Context, 'drive' | 'picker' | 'locks'> {
  readonly settings: Settings
  readonly vendor: Drive
  readonly shared: ReplicaState | undefined
  readonly processLock: () => Promise<ProcessLock>
}

/** The tools' context. Everything that it remembers belongs to one person and is dropped when someone else signs in. */
function contextFor(
  { account: owner, scopes }: SignedInPerson,
  { settings, vendor: { url }, drive, picker, locks, shared, processLock }: ConnectContext,
): Context {
  const own = shared?.ofPerson({ account: owner })
  const paths = pathScopes(drive, own?.changes)
  const limitation = Message.of(onlyChosenFiles, chooseMore, ...widenSignIn(settings))
  return {
    drive,
    picker,
    paths,
    limitation: () => (seesOnlyChosenFiles(scopes) || paths.isRootHidden() ? limitation : undefined),
    mayHideItems: () => (scopes.length > 0 ? seesOnlyChosenFiles(scopes) : !drive.sight.isComplete),
    newId: idGenerator(drive),
    locks,
    downloads: new DownloadSessions(drive.clock, own?.downloads),
    fetchSource: guardedFetch({
      allowPrivate: privateHosts(settings.environment),
      limits: sourceLimits,
      clock: drive.clock,
    }),
    maxUploadBytes: Math.min(uploadLimit(settings.environment) ?? maxFileBytes, maxFileBytes),
    resumeStates:
      own?.resumeStates ??
      new FileResumeStates({
        directory: uploadsDirectory(settings),
        lock: processLock,
        // An environment token does not reveal whose account it is for.
        owner: owner === '' ? async () => ownerOfUploads(settings, await getOwnerId(drive)) : ownerOfUploads(settings, owner),
        vendor: url,
        clock: drive.clock,
      }),
  }
}

/** The owner of uploads: people never resume each other's uploads, even if they use the same account. */
function ownerOfUploads({ owner }: Settings, account: string): string {
  return owner === undefined ? account : recordOwner(owner, account)
}

/** True if the scopes give access only to this app's files. https://developers.google.com/workspace/drive/api/guides/api-specific-auth */
function seesOnlyChosenFiles(scopes: readonly string[]): boolean {
  return scopes.includes('drive.file') && !scopes.includes('drive') && !scopes.includes('drive.readonly')
}

const onlyChosenFiles = 'Only files that this app created or the user chose for it are visible (drive.file scope).'
const chooseMore = sentence`To make others visible, let the user choose them with ${{ tool: 'FileStorage.GenerateFilePickerUrl' }}.`

/** Advice to widen the sign-in; empty on a multi-user server, because its users cannot run commands on it. */
function widenSignIn(settings: Settings): string[] {
  if (settings.owner !== undefined) return []
  const words = ['login', '--scopes', 'drive,userinfo.profile,userinfo.email']
  return [`To see all files, the user must run "${commandLine(account.server, settings, words)}".`]
}

/** Unfinished uploads in the data directory; a server with a different store does not resume them. */
export function localWork(settings: Pick<Settings, 'dataDirectory'>): readonly string[] {
  const directory = uploadsDirectory(settings)
  const states = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : []
  if (states.length === 0) return []
  return [
    `${count(states.length, 'unfinished upload')} in ${directory}. A server with --store does not resume them: repeating such a call starts over.`,
  ]
}

function uploadsDirectory({ dataDirectory }: Pick<Settings, 'dataDirectory'>): string {
  return dataPath(dataDirectory, account.server, 'uploads')
}

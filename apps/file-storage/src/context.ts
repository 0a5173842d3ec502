import type { Locks } from '@mcp-toolkits/core/base'
import { type Message, ToolError } from '@mcp-toolkits/core/errors'
import { refusalOf, toolkit, withVocabulary } from '@mcp-toolkits/core/tool'
import type { PathScopes } from './drive/paths.ts'
import type { DriveClient } from './drive/client.ts'
import { withFilePicker } from './drive/errors.ts'
import type { DownloadSessions } from './drive/content/downloads.ts'
import type { FilePicker } from './picker/file-picker.ts'
import type { UploadServices } from './upload/upload-machine.ts'
import { idleIn } from './vocabulary/parameters.ts'
import { withWish } from './refusals/refusals.ts'

export interface Context extends UploadServices {
  readonly drive: DriveClient
  readonly paths: PathScopes
  readonly locks: Locks
  /** Downloads that continue across calls. */
  readonly downloads: DownloadSessions
  /** Lets the person choose the files that the tools may use. */
  readonly picker: FilePicker
  /** Sentence saying that only some files are visible, as with the drive.file scope; undefined if unknown. */
  readonly limitation: () => Message | undefined
  /** True if there may be items that this app does not see, as with the drive.file scope or a token with unknown scopes. */
  readonly mayHideItems: () => boolean
}

/** Google's OAuth scopes that tools need, without their common prefix. https://developers.google.com/identity/protocols/oauth2/scopes */
export type Scope = 'drive.file' | 'drive.readonly' | 'userinfo.profile' | 'userinfo.email'

const define = toolkit<Context, Scope | `${Scope}|${Scope}`>()

/** Defines a tool. Errors about items that may exist but be hidden mention the file picker; refusals name the tool to use instead. */
export const defineTool: typeof define = (spec) => {
  const tool = define({
    ...spec,
    input: withVocabulary(spec.input, { idle: idleIn(spec.name, spec.effect) }),
    run: async (args, context, call) =>
      spec.run(args, context, call).catch((error: unknown) => {
        throw error instanceof ToolError ? withFilePicker(error, context.mayHideItems()) : error
      }),
  })
  return {
    ...tool,
    execute: (args, context, call) =>
      tool.execute(args, context, call).catch(async (error: unknown) => {
        throw await withWish(error, { tool: spec.name, args }, (written, input = spec.input) =>
          refusalOf({ input, effect: spec.effect }, written, call),
        )
      }),
  }
}

import type { Exchange, PageTable } from '@mcp-toolkits/emulator'
import type { Hono } from 'hono'
import type { Item } from '../store/items.ts'

/** A notification channel: of one file, or of the feed of changes. */
export interface Channel {
  readonly n: number
  readonly id: string
  /** Id of the person. */
  readonly viewer: string
  readonly fileId: string | null
  readonly address: string
  readonly token: string | null
  readonly resourceId: string
  readonly resourceUri: string
  /** In milliseconds. */
  readonly expiresAt: number
  /** Id of the last mutation that it was told of. */
  readonly position: number
  readonly messages: number
  /** The file as the channel was last told of it; undefined for a channel of the feed. */
  readonly seen: SeenFile | undefined
}

/** The part of a watched file that decides which event a change of it is. */
export type SeenFile = Pick<Item, 'trashed' | 'headRevisionId' | 'parentId'>

/** Parts behind the methods while the emulator is open. */
export interface OpenSurface {
  /** Adds routes besides those of the methods; `failed` answers with an error, and passes on one that is not Drive's. */
  readonly addRoutes: (app: Hono<{ Bindings: Exchange }>, failed: (error: unknown) => Response) => void
  /** Records that an item got other content, in the same transaction. Returns the keys of the content to remove. */
  readonly contentReplaced: (former: Item) => readonly (string | null)[]
  /** Deletes the parts of an item that is deleted, in the same transaction. Returns the keys of the content to remove. */
  readonly itemDeleted: (id: string) => readonly (string | null)[]
  /** Called after every change. */
  readonly changed: () => void
  /** Called when a notification channel was opened. */
  readonly opened: (channel: Channel) => void
  /** Hosts that notifications may be sent to, besides this machine. */
  readonly hosts: readonly string[]
  /** The formats that each type is exported to. */
  readonly exportFormats: Readonly<Record<string, readonly string[]>>
  readonly tables: readonly PageTable[]
  readonly close: () => Promise<void>
}

/** Revisions, comments, replies, requests for shared drives, and notification channels. */
export const surfaceTables = `create table revisions (
  n integer primary key, id text not null, fileId text not null, mimeType text not null, modifiedTime text not null,
  lastModifyingId text, size integer, md5 text, content text, originalFilename text
) strict;
create index revisions_file on revisions (fileId, n);
create table revision_settings (fileId text not null, id text not null, settings text not null, primary key (fileId, id)) strict;
create table comments (
  n integer primary key, id text not null unique, fileId text not null, commentId text, authorId text not null,
  createdTime text not null, modifiedTime text not null, content text not null, action text, anchor text, quoted text,
  resolved integer, deleted integer not null default 0
) strict;
create index comments_file on comments (fileId, commentId);
create table drive_requests (requestId text not null, viewer text not null, driveId text not null, primary key (requestId, viewer)) strict;
create table channels (
  n integer primary key, id text not null, viewer text not null, scopes text not null, fileId text, address text not null, token text, resourceId text not null,
  resourceUri text not null, payload integer not null, expiresAt integer not null, position integer not null, messages integer not null default 0
) strict;`

/** Whose records they are, and of which kind. */
export interface RecordKind {
  readonly owner: string
  readonly kind: string
}

/** Identifies one record. */
export interface RecordKey extends RecordKind {
  readonly name: string
}

/** Texts that are forgotten after some time, for all processes that work for the same accounts. */
export interface ExpiringRecords {
  /** Undefined when there is none, or when it has expired. */
  readonly get: (key: RecordKey) => Promise<string | undefined>
  /** Stores a text for `ms` milliseconds, instead of the one that was there. Who holds the record goes on holding it. */
  readonly set: (key: RecordKey, text: string, ms: number) => Promise<void>
  readonly delete: (key: RecordKey) => Promise<void>
  /** Gets a text and deletes it: of several callers, one gets it. */
  readonly take: (key: RecordKey) => Promise<string | undefined>
  /** The records of a kind that have not expired, by name. */
  readonly list: (kind: RecordKind) => Promise<readonly NamedText[]>
  /**
   * Gets a text for one caller: until that one releases it, or its process dies, no other caller can hold it. Undefined when there is
   * none, or while another one holds it.
   */
  readonly hold: (key: RecordKey) => Promise<string | undefined>
  readonly release: (key: RecordKey) => Promise<void>
}

/** The records of one kind that one owner has. */
export interface NamedRecords {
  readonly get: (name: string) => Promise<string | undefined>
  readonly set: (name: string, text: string, ms: number) => Promise<void>
  readonly delete: (name: string) => Promise<void>
  readonly list: () => Promise<readonly NamedText[]>
  readonly hold: (name: string) => Promise<string | undefined>
  readonly release: (name: string) => Promise<void>
}

/** The records of one kind. The owner is looked up when it is needed. */
export function recordsOf(
  records: ExpiringRecords,
  { owner, kind }: { readonly owner: () => Promise<string>; readonly kind: string },
): NamedRecords {
  const keyOf = async (name: string): Promise<RecordKey> => ({ owner: await owner(), kind, name })
  return {
    get: async (name) => records.get(await keyOf(name)),
    set: async (name, text, ms) => records.set(await keyOf(name), text, ms),
    delete: async (name) => records.delete(await keyOf(name)),
    list: async () => records.list({ owner: await owner(), kind }),
    hold: async (name) => records.hold(await keyOf(name)),
    release: async (name) => records.release(await keyOf(name)),
  }
}

export interface NamedText {
  readonly name: string
  readonly text: string
}

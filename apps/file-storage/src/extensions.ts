import { InvalidInput } from '@mcp-toolkits/core/errors'
import { type Environment, parseAllowedHosts } from '@mcp-toolkits/core/upstream'
import { type Extension, list, type OptionType, splitList, text } from '@mcp-toolkits/server'

/** The tool that returns a whole file, or says that it is read in parts, and the one that returns a part. */
export const downloadTools = { whole: 'DownloadFile', part: 'DownloadFileChunk' } as const

/** `call --output`: writes a whole file to this machine. */
export const downloads: Extension = {
  fileOption: {
    name: 'output',
    kind: text,
    placeholder: 'FILE',
    help: 'write what is downloaded to a new file, or with - to standard output',
    isInUsage: true,
    tools: Object.values(downloadTools),
    usage: [`call ${downloadTools.whole} '<json>' --output FILE`, 'write the whole content to a new file'],
    toolHelp: 'Write the whole content to a new file of this machine, or with - to standard output.',
    replaces: [],
    contentHint: 'The content is not shown. --output FILE writes it to a file, and --output - prints it.',
    load: async () => (await import('./local-download.ts')).openOutput,
  },
  callKinds: { [downloadTools.whole]: 'large', [downloadTools.part]: 'large', GetFileTreeStructure: 'large' },
}

export const privateUrlsVariable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'

const byteCount: OptionType<number> = {
  text: `a number of bytes, at least 1 and at most ${Number.MAX_SAFE_INTEGER}`,
  parse: (value) => (/^[1-9]\d*$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : undefined),
  value: 'a whole number of bytes, at least 1',
  isValue: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
}

const maxUploadBytes = {
  name: 'max-upload-bytes',
  kind: byteCount,
  variable: 'FILE_STORAGE_MAX_UPLOAD_BYTES',
  library: 'maxUploadBytes',
  isGeneral: true,
  placeholder: 'N',
  help: 'the largest file that may be uploaded; without it, the largest that the vendor stores',
} as const

/** What UploadFile may fetch, and `call --input`, which uploads a file of this machine. */
export const uploads: Extension = {
  options: {
    allowPrivateUrls: {
      name: 'allow-private-urls',
      kind: { ...list, problem: hostProblem },
      variable: privateUrlsVariable,
      library: 'allowPrivateUrls',
      isGeneral: true,
      placeholder: 'HOST,…',
      help: 'hosts that may be fetched although they are not public',
    },
    maxUploadBytes,
  },
  fileOption: {
    name: 'input',
    kind: text,
    placeholder: 'FILE',
    help: 'upload a file of this machine, or with - what is piped in',
    isInUsage: true,
    tools: ['UploadFile'],
    usage: ['call UploadFile --input FILE', 'upload a file of this machine, or with - what is piped in'],
    toolHelp:
      'Upload a file of this machine, instead of --source-url; without --file-name, under its own name. "-" is what is piped in, which needs --file-name.',
    replaces: ['source_url', 'file_name'],
    load: async () => (await import('./local-upload.ts')).openInput,
  },
  // The other end of an upload may be as slow as it likes.
  callKinds: { UploadFile: 'long' },
  facts: ({ environment }) => {
    const hosts = privateHosts(environment)
    return hosts.length > 0 ? { private_hosts_allowed: hosts } : {}
  },
}

/** Hosts that may be fetched although they are not public. */
export const privateHosts = (environment: Environment) => splitList(environment[privateUrlsVariable] ?? '')

/** The largest file that may be uploaded, in bytes; undefined when only the vendor's limit applies. */
export const uploadLimit = (environment: Environment) => byteCount.parse(environment[maxUploadBytes.variable] ?? '')

function hostProblem(hosts: string): string | undefined {
  try {
    parseAllowedHosts(splitList(hosts))
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

import { InvalidInput } from '@mcp-toolkits/core/errors'
import { parseAllowedHosts } from '@mcp-toolkits/core/upstream'
import { type Extension, list, type OptionType, text } from '@mcp-toolkits/server'
import { contentFields, contentVariable, type ContentWay, contentWays, downloadDirVariable, readContentWay } from './delivery/ways.ts'
import { maxUploadBytesVariable, privateHosts, privateUrlsVariable, readByteCount } from './upload/upload-settings.ts'

const contentWay: OptionType<ContentWay> = {
  text: contentWays.join(', '),
  parse: readContentWay,
  value: contentWays.map((way) => JSON.stringify(way)).join(', '),
  isValue: (value): value is ContentWay => readContentWay(value) !== undefined,
}

/** Ways to return downloaded content, and `call --output`, which writes a whole file to this machine. */
export const downloads: Extension = {
  options: {
    content: {
      name: 'content',
      kind: contentWay,
      variable: contentVariable,
      library: 'content',
      isGeneral: true,
      placeholder: 'MODE',
      help: 'how downloads return content: resource (the default), structured (base64 in the result) or file (over HTTP, a link)',
    },
    downloadDir: {
      name: 'download-dir',
      kind: text,
      variable: downloadDirVariable,
      library: 'downloadDir',
      isGeneral: true,
      placeholder: 'DIR',
      help: 'the folder for downloads; existing files are never overwritten',
    },
  },
  content: {
    tools: ['DownloadFile', 'DownloadFileChunk', 'ExportFile'],
    fields: ({ environment }) => contentFields(environment),
    load: async () => (await import('./delivery/give-content.ts')).giveContent,
  },
  fileOption: {
    name: 'output',
    kind: text,
    placeholder: 'FILE',
    help: 'write the download to a new file; - is standard output',
    tools: ['DownloadFile', 'DownloadFileChunk'],
    usage: ["call DownloadFile '<json>' --output FILE", 'write the whole content to a new file'],
    toolHelp: 'Write the whole content to a new local file, or to standard output with -.',
    replaces: [],
    contentHint: 'The content is not shown. --output FILE writes it to a file, and --output - prints it.',
    load: async () => (await import('./local-download.ts')).openOutput,
  },
  callKinds: { DownloadFile: 'large', DownloadFileChunk: 'large', GetFileTreeStructure: 'large' },
  longCalls: ['GetFileTreeStructure'],
}

const byteCount: OptionType<number> = {
  text: `a number of bytes, at least 1 and at most ${Number.MAX_SAFE_INTEGER}`,
  parse: readByteCount,
  value: 'a whole number of bytes, at least 1',
  isValue: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
}

/** Upload limits, and `call --input`, which uploads a local file. */
export const uploads: Extension = {
  options: {
    allowPrivateUrls: {
      name: 'allow-private-urls',
      kind: { ...list, problem: hostProblem },
      variable: privateUrlsVariable,
      library: 'allowPrivateUrls',
      isGeneral: true,
      placeholder: 'HOST,…',
      help: 'non-public hosts to fetch from',
    },
    maxUploadBytes: {
      name: 'max-upload-bytes',
      kind: byteCount,
      variable: maxUploadBytesVariable,
      library: 'maxUploadBytes',
      isGeneral: true,
      placeholder: 'N',
      help: 'the largest file to upload; default: the largest that the vendor accepts',
    },
  },
  fileOption: {
    name: 'input',
    kind: text,
    placeholder: 'FILE',
    help: 'upload a local file; - uploads standard input',
    tools: ['UploadFile', 'WriteFile'],
    usage: ['call UploadFile --input FILE', 'upload a local file; - uploads standard input'],
    toolHelp:
      'Upload a local file instead of --source-url; without --file-name, under its own name. "-" reads standard input and needs --file-name.',
    replaces: ['source_url', 'file_name'],
    load: async () => (await import('./local-upload.ts')).openInput,
  },
  // An upload's source may be arbitrarily slow.
  callKinds: { UploadFile: 'long', WriteFile: 'long' },
  longCalls: ['UploadFile', 'WriteFile'],
  facts: ({ environment }) => {
    const hosts = privateHosts(environment)
    return hosts.length > 0 ? { private_hosts_allowed: hosts } : {}
  },
}

function hostProblem(hosts: string): string | undefined {
  try {
    parseAllowedHosts(privateHosts({ [privateUrlsVariable]: hosts }))
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

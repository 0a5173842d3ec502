import type { DownloadTools } from '@mcp-toolkits/server'

/** How a whole file is read with the tools, for `call --output`. */
export const downloads: DownloadTools = {
  whole: 'DownloadFile',
  part: 'DownloadFileChunk',
  next({ file, requires_chunked_download: isLarge, file_id: fileId, next_start_byte: start }) {
    if (isLarge === true) return { file_path_or_id: member(file, 'id'), start_byte: 0 }
    return typeof start === 'number' ? { file_path_or_id: fileId, start_byte: start } : undefined
  },
  expected: ({ total_size: bytes, md5_checksum: md5 }) => ({ bytes: Number(bytes), md5: typeof md5 === 'string' ? md5 : undefined }),
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
}

import { assumed, documented } from '@mcp-toolkits/emulator'
import { downloadGuide, errorGuide, rangeStandard, uploadGuide } from './vendor-pages.ts'

/** Content in uploads and downloads. */
export const contentRules = {
  'content/multipart': assumed('Lines of a multipart body end in CRLF or LF.', 'the Python client ends lines with LF'),
  'content/multipart-malformed': assumed('A malformed multipart body is 400 badRequest.'),
  'content/media': documented(uploadGuide, 'uploadType=media takes content alone.'),
  'content/resumable-without-range': documented(uploadGuide, 'A body without Content-Range is the whole file.'),
  'content/resumable-new-content': documented(uploadGuide, 'A session begun with PATCH replaces the content of a file.'),
  'content/resumable': documented(
    uploadGuide,
    'The first response names a session in Location; chunks get 308 with Range, and the last the file with its md5Checksum.',
  ),
  'content/resumable-partial': documented(
    uploadGuide,
    'With a switch less is stored than was sent; a missing Range means nothing was stored.',
  ),
  'content/resumable-status': documented(uploadGuide, 'bytes */N and bytes */* ask how far the upload is.'),
  'content/resumable-unknown-length': documented(uploadGuide, 'The last chunk tells the length; bytes */0 is an empty file.'),
  'content/resumable-chunk-size': documented(uploadGuide, 'Chunks are multiples of 262,144 bytes, except the last.'),
  'content/resumable-lifetime': documented(uploadGuide, 'A session lasts a week, then it is 404.'),
  'content/resumable-after-end': assumed('After its end a session answers with the file again.'),
  'content/resumable-concurrent-end': assumed('Concurrent requests for the end make one file and get the same response.'),
  'content/resumable-overlap': assumed('A chunk that does not begin at the next byte is 400.'),
  'content/resumable-early-refusal': assumed('Missing parents, used ids and full storage are refused when the session begins.'),
  'content/resumable-token': assumed('Requests after the first need no token, but a bad one is refused.'),
  'content/new-content': assumed("PATCH on the upload URL replaces content; Google's own types have none."),
  'content/resumable-empty-last-request': assumed('bytes */N completes an upload whose bytes have all arrived.', 'rclone relies on it'),
  'content/alt-media': documented(downloadGuide, 'alt=media answers with the content, its length, type and md5.'),
  'content/range': documented(downloadGuide, 'A range is 206 with Content-Range.'),
  'content/range-past-end': documented(rangeStandard, 'A range past the end is 416 with bytes */total.'),
  'content/range-empty-file': assumed('Any range of an empty file is 416.'),
  'content/range-other-forms': documented(rangeStandard, 'A range in another form is ignored: 200 with everything.'),
  'content/not-downloadable': documented(errorGuide, 'Google documents, folders and shortcuts are 403 fileNotDownloadable.'),
  'content/abusive': documented(downloadGuide, 'A dangerous file is 403 cannotDownloadAbusiveFile without acknowledgeAbuse.'),
  'content/download-forbidden': assumed('Readers of a protected file get 403 cannotDownloadFile.'),
}

import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const bytes: readonly DriveBehaviour[] = [
  ...documented('§8 "LF-only multipart bodies"', [
    'multipart',
    'lines end in CRLF or LF',
    'takes metadata and content in two parts whose lines end in %s',
  ]),
  ...assumed('§8 "LF-only multipart bodies"', [
    'multipart: malformed',
    '400 badRequest',
    'refuses bodies that are cut, have no boundary, or name no kind of upload',
  ]),
  ...documented(
    '§5 Drive side',
    ['media', 'content alone', 'takes content alone'],
    ['resumable: at once', 'a body without Content-Range is everything', 'takes a whole file without a range, and chunks sent with POST'],
    ['resumable: new content', 'a session begun with PATCH', 'replaces the content of a file'],
    ['resumable', 'a session at the Location of the first answer; 308 with Range; md5Checksum at the end', 'takes a file in chunks'],
    [
      'resumable: partial',
      'with a switch less is stored than was sent; no Range means nothing',
      'stores less than was sent, when told to, and says so',
    ],
    ['resumable: status', 'bytes */N and bytes */*', 'says how far it is'],
    [
      'resumable: unknown length',
      'the last chunk tells; bytes */0 is an empty file',
      'ends when the length is known at last, in a chunk or after it',
    ],
    ['resumable: chunks', 'multiples of 262,144 bytes but for the last', 'refuses chunks that do not fit'],
    ['resumable: lifetime', 'a week, then 404', 'is forgotten after a week, and when it is given up'],
  ),
  ...assumed(
    '§5 Drive side',
    ['resumable: after the end', 'the file again', 'answers with the file once it is complete'],
    ['resumable: asked at once', 'one file, and the same answer to all', 'becomes one file, however often its end is asked for at once'],
    ['resumable: overlap', 'a chunk that begins anywhere but at the next byte is 400', 'refuses chunks that do not fit'],
    [
      'resumable: early refusal',
      'missing parents, used ids and full storage are refused at the beginning',
      'is refused at the beginning for what would be refused at the end',
    ],
    ['resumable: token', 'none is needed after the beginning', 'needs no token after the beginning, yet no bad one'],
    ['new content', 'PATCH of an upload address; Google’s own types have none', 'replaces the content of a file, and gives folders none'],
  ),
  ...assumed('§9.5', [
    'resumable: empty last request',
    'bytes */N ends an upload whose bytes are all there',
    'ends when the length is known at last, in a chunk or after it',
  ]),
  ...documented(
    '§1 DownloadFileChunk',
    ['alt=media', 'the content with its length, its type and its md5', 'is whole without a range'],
    ['range', '206 with Content-Range', 'answers a range with 206'],
    ['range: past the end', '416 with bytes */total', 'answers 416 for a range past the end, and for any of an empty file'],
  ),
  ...assumed('§9.9', ['range: empty file', '416', 'answers 416 for a range past the end, and for any of an empty file']),
  ...assumed('§1 DownloadFileChunk "A 200 instead of 206"', [
    'range: other forms',
    'answered with 200 and everything',
    'ignores ranges that it cannot read',
  ]),
  ...documented(
    '§1 DownloadFile',
    ['fileNotDownloadable', '403 for Google documents, folders and shortcuts', 'is refused for documents, folders and shortcuts'],
    ['cannotDownloadAbusiveFile', '403 without acknowledgeAbuse', 'is refused for a dangerous file unless the caller knows'],
  ),
  ...assumed('§1 DownloadFile', [
    'cannotDownloadFile',
    '403 for readers of what is protected',
    'is refused to readers where the owner forbids it',
  ]),
]

import { phrases, words } from '@mcp-toolkits/core/tool'

/** Facts that both the tree and a search return about an item, so neither tool is clearly meant. */
const lookups = phrases(
  'stat, get file name, get file info, get file metadata, get file details, get file size, get file id, get file path',
)
/** Names for a change of name or place. */
const changes = phrases('update file, update folder')

/** Callers' names for the tools, from other file stores and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('google drive gdrive'),
  words: {
    folder: words('directory dir subfolder subdirectory'),
    file: words('document doc item'),
    download: words('export'),
    content: words('data media'),
    share: words('invite grant'),
    access: words('permission role'),
    user: words('people collaborator'),
    chunk: words('part range'),
  },
  names: {
    WhoAmI: phrases(
      'me, get me, get user, get my user, get user info, current user, get current user, get authenticated user, profile, get profile, get my profile, get user profile, get account, get about, about, get quota, get storage quota, list shared drives, list drives',
    ),
    GetFileTreeStructure: [
      ...phrases(
        'ls, tree, list tree, file tree, list file tree, folder tree, list folder tree, get tree, get file tree, get folder tree, get folder structure, get file structure, list files, list all files, list folders, list folder, list contents, list folder contents, list drive, browse',
      ),
      ...lookups,
    ],
    GenerateFilePickerUrl: phrases(
      'picker, file picker, open picker, open file picker, get picker, get file picker, get picker url, create picker url, pick file, select file, choose file, request access',
    ),
    SearchFiles: [
      ...phrases(
        'search, find, grep, file search, find file, find files, search file, search files and folders, search drive, search folder, search content',
      ),
      ...lookups,
    ],
    CreateFolder: phrases('mkdir, make dir, create sub folder'),
    RenameFile: [...phrases('rename, rename folder, set name, set filename, set file name, set folder name'), ...changes],
    MoveFile: [...phrases('mv, move, move folder, move file to folder, relocate file, transfer file'), ...changes],
    DownloadFile: phrases(
      'cat, download, get file, open file, get content, get file content, get file contents, download content, download file content',
    ),
    DownloadFileChunk: phrases('get chunk, get file chunk, download chunk, download next chunk, get bytes, download large file'),
    UploadFile: phrases(
      'upload, upload url, upload from url, upload file from url, save file, save file from url, import file, import from url, add file',
    ),
    ShareFile: phrases(
      'share, share folder, share access, share user, share file with user, give access, add access, set access, add user, add member, set sharing',
    ),
  },
} as const

import { phrases, words } from '@mcp-toolkits/core/tool'

/** Names for facts that both the tree and a search give of an item, so that neither is clearly meant. */
const lookups = phrases(
  'get file name, get filename, get file info, file info, get file metadata, get metadata, get file details, stat, stat file, get file size, get file id, get file path, get file type, get file url, get file link, file exists, check file exists, get folder info, get folder name, get folder id',
)

/** Names for a change that may be a new name or a new place. */
const changes = phrases('update file, update folder')

/** Callers' names for the tools, from other file stores and from everyday words. They lead to corrections and are never carried out. */
export const toolVocabulary = {
  fillers: words('google drive gdrive'),
  words: {
    folder: words('directory dir subfolder subdirectory'),
    file: words('document doc item'),
    files: words('documents docs items'),
  },
  names: {
    WhoAmI: phrases(
      'me, get me, get user, get my user, get user info, user info, user, my profile, my account, current user, get current user, get authenticated user, profile, get profile, get my profile, get user profile, get account, get my account, get about, about, get storage, get storage quota, get quota, check quota, list shared drives, get shared drives, list drives, get drives, list team drives',
    ),
    GetFileTreeStructure: [
      ...phrases(
        'list files, get files, list all files, list contents, list folder, list folder contents, list files and folders, get all files, list folders, list tree, get tree, tree, file tree, get file tree, list file tree, folder tree, get folder tree, list folder tree, get folder structure, folder structure, get file structure, get structure, show tree, list drive, browse, browse files, ls',
      ),
      ...lookups,
    ],
    GenerateFilePickerUrl: phrases(
      'file picker, open file picker, get file picker, get picker, open picker, picker, get picker url, file picker url, pick file, pick files, select files, select file, choose files, choose file, request access, request file access, request permission, get file picker link, create picker url',
    ),
    SearchFiles: [
      ...phrases(
        'search, find, find files, find files and folders, files search, search files and folders, search for files, search file, find file, file search, query files, search drive, search folder, find folder, lookup file, lookup, search in folder, search content, full text search, search text, locate file, grep',
      ),
      ...lookups,
    ],
    CreateFolder: phrases('mkdir, make dir, new dir, make folder, add folder, create new folder, create sub folder, make'),
    RenameFile: [
      ...phrases(
        'rename, rename folder, change name, change file name, change filename, update name, update file name, set name, set file name, edit file name, update folder name, change folder name, set folder name, edit folder name, rename file or folder',
      ),
      ...changes,
    ],
    MoveFile: [
      ...phrases(
        'move, move folder, move files, mv, move to folder, move file to folder, relocate, relocate file, change parent, transfer file, put file in folder',
      ),
      ...changes,
    ],
    DownloadFile: phrases(
      'download, download files, get file, get file content, get file contents, get file data, read file, read file content, fetch file, fetch file content, open file, export file, file download, download content, download file content, get content, get media, cat',
    ),
    DownloadFileChunk: phrases(
      'download chunk, get chunk, get file chunk, read chunk, read file chunk, fetch chunk, next chunk, download next chunk, download part, download file part, get file part, download range, download file range, read range, read bytes, read file range, download large file, partial download, chunked download, resume download',
    ),
    UploadFile: phrases(
      'upload, upload files, upload from url, upload file from url, upload url, file upload, save file, save url, save from url, save file from url, add file from url, upload from link, import file, import from url, import url, add file, put file, store file, save to drive, save file to drive',
    ),
    ShareFile: phrases(
      'share, share folder, share files, grant access, grant permission, give access, give permission, add permission, create permission, add access, set permission, set permissions, update permission, update permissions, change permission, change permissions, share with, share file with, share file with user, share folder with user, give file access, give user access, invite, invite user, invite people, add collaborator, add collaborators, add user, add editor, add viewer, add member, set access, share access, change role, set role, update sharing, manage sharing, grant file access',
    ),
  },
} as const

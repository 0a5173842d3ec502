import { words } from '@mcp-toolkits/core/tool'
import { toolWishes } from '../refusals/tools.ts'

/** Callers' names for the tools, from other file stores and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('drive'),
  words: {
    folder: words('directory dir subfolder subdirectory'),
    file: words('document doc item object blob'),
    download: words('export'),
    content: words('data media'),
    share: words('invite grant'),
    permission: words('access role'),
    user: words('people collaborator member'),
    chunk: words('part range'),
  },
  names: {
    WhoAmI:
      'me get_me get_user get_my_user get_user_info current_user get_current_user get_authenticated_user profile get_profile get_my_profile get_user_profile get_account get_about about get_quota get_storage_quota get_storage_usage list_shared_drives list_drives list_buckets list_containers list_allowed_folders',
    GetFileTreeStructure:
      'ls tree list_tree file_tree list_file_tree folder_tree list_folder_tree get_tree get_file_tree get_folder_tree get_folder_structure get_file_structure list_files list_all_files list_folders list_folder list_contents list_folder_contents list_children browse',
    GenerateFilePickerUrl:
      'picker file_picker open_picker open_file_picker get_picker get_file_picker get_picker_url create_picker_url pick_file select_file choose_file request_access',
    SearchFiles: 'search list_files list_all_files find grep search_files_and_folders search_drive search_folder search_content',
    CreateFolder: 'mkdir make_dir create_sub_folder',
    RenameFile: 'rename rename_folder set_name set_file_name set_folder_name update_file update_folder',
    MoveFile: 'mv move move_folder move_file_to_folder relocate_file transfer_file update_file update_folder',
    DownloadFile:
      'cat fetch read download get_file get_text_file get_media_file open_file get_content get_file_content get_file_contents download_content download_file_content get_multiple_files',
    DownloadFileChunk: 'get_chunk get_file_chunk download_chunk download_next_chunk get_bytes download_large_file',
    UploadFile: 'upload create_file upload_url upload_file_from_url save_file save_file_from_url import_file import_from_url add_file',
    ShareFile:
      'share share_folder share_access share_user share_with share_file_with_user give_access add_member add_file_member add_folder_member',
  },
  wishes: toolWishes,
} as const

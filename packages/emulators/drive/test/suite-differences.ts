const page = 'https://developers.google.com/workspace/drive/api/guides/v3versusv2'

/** Number of google-drive-mock 1.2.0's tests that pass. */
export const passingTests = 59

/** Why some of google-drive-mock's tests fail against the emulator. */
export interface SuiteDifference {
  readonly why: string
  /** Google's page that confirms the emulator's behaviour. */
  readonly page: string
  /** The tests that fail for this reason, each after its file. */
  readonly tests: readonly string[]
}

const etagTests = [
  'dates_and_sorting.test.ts: Date Updates and Sorting V3 API should update modifiedTime and enforce strict server time check when updating with If-Match',
  'v3_parity.test.ts: Google Drive API V3 Parity should allow fetching ETag from V2 and using it for If-Match content updates (RxDB replication flow)',
]

const version2Tests = [
  'dates_and_sorting.test.ts: Date Updates and Sorting V2 API should sort files by modifiedDate desc',
  'dates_and_sorting.test.ts: Date Updates and Sorting V2 API should update modifiedDate when content is updated',
  'dates_and_sorting.test.ts: Date Updates and Sorting V2 API should update modifiedDate when metadata is updated',
  'dates_and_sorting.test.ts: Date Updates and Sorting V2 API should update modifiedDate when touched',
  'etag.test.ts: ETag and If-Match Support should return ETag header when getting a file (V2 Parity)',
  'etag.test.ts: ETag and If-Match Support should support If-Match on DELETE (V2 Parity)',
  'etag.test.ts: ETag and If-Match Support should support If-Match on UPDATE (V2 Parity)',
  'iterate_changes.test.ts: Iterate Changes Queries should paginate through "changes" (files > time) in a specific parent folder (v2)',
  'mime_types.test.ts: MIME Type Handling should default to application/octet-stream if no MIME type provided',
  'mime_types.test.ts: MIME Type Handling should respect Content-Type header in V2 media upload',
  'missing_fields.test.ts: Missing Fields Support (Size & MD5) should return correct size and md5Checksum for EMPTY file',
  'missing_fields.test.ts: Missing Fields Support (Size & MD5) should return fileSize and md5Checksum in V2 GET',
  'multipart_behavior.test.ts: Multipart Upload Behavior (Conflicts, Overwrites, Replacements) V2 Multipart Behavior (Conflicts, Overwrites, Replacements) should allow creating duplicate files (Conflict scenario - same name/parent) in V2',
  'multipart_behavior.test.ts: Multipart Upload Behavior (Conflicts, Overwrites, Replacements) V2 Multipart Behavior (Conflicts, Overwrites, Replacements) should delete file in V2 only if ETag matches (If-Match)',
  'multipart_behavior.test.ts: Multipart Upload Behavior (Conflicts, Overwrites, Replacements) V2 Multipart Behavior (Conflicts, Overwrites, Replacements) should handle If-None-Match: * on file creation (Atomic Create-If-Not-Exists) in V2',
  'multipart_behavior.test.ts: Multipart Upload Behavior (Conflicts, Overwrites, Replacements) V2 Multipart Behavior (Conflicts, Overwrites, Replacements) should overwrite/update file content and metadata using PATCH (Replacement) in V2',
  'multipart_behavior.test.ts: Multipart Upload Behavior (Conflicts, Overwrites, Replacements) V2 Multipart Behavior (Conflicts, Overwrites, Replacements) should overwrite/update file content and metadata using PUT (Replacement) in V2',
  'v2_basics.test.ts: Google Drive API V2 Basics should create a file with V2 fields (title vs name)',
  'v2_basics.test.ts: Google Drive API V2 Basics should delete a file',
  'v2_basics.test.ts: Google Drive API V2 Basics should handle V2 parent references correctly',
  'v2_basics.test.ts: Google Drive API V2 Basics should patch a file using PATCH',
  'v2_basics.test.ts: Google Drive API V2 Basics should update a file using PUT',
  'v2_content.test.ts: V2 Content Updates should create a JSON file and overwrite with empty string',
  'v2_content.test.ts: V2 Content Updates should create a file with content',
  'v2_content.test.ts: V2 Content Updates should fail to update file with incorrect ETag',
  'v2_content.test.ts: V2 Content Updates should overwrite file with empty string',
  'v2_content.test.ts: V2 Content Updates should overwrite file with new content',
  'v2_content.test.ts: V2 Content Updates should update file with correct ETag (If-Match)',
  'v2_missing_ops.test.ts: Google Drive V2 Missing Operations should generate IDs',
  'v2_missing_ops.test.ts: Google Drive V2 Missing Operations should support export, watch, and parent management lifecycles',
  'v2_routes.test.ts: Google Drive V2 Routes should copy file (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should empty trash (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should get about info (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should get revisions (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should get start page token (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should list changes (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should list files (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should manage parents (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should touch file (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should trash file (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should untrash file (V2)',
  'v2_routes.test.ts: Google Drive V2 Routes should upload file via multipart (V2)',
  'v2_upload.test.ts: V2 Upload Features should create a file using POST /upload/drive/v2/files?uploadType=media',
  'v2_upload.test.ts: V2 Upload Features should respect If-Match header in V2 media upload (PUT)',
  'v2_upload.test.ts: V2 Upload Features should respect If-Match header in V2 multipart upload (PUT)',
  'v2_upload.test.ts: V2 Upload Features should update a file content using PUT /upload/drive/v2/files/:fileId?uploadType=media',
  'v2_upload.test.ts: V2 Upload Features should update metadata and content using PUT /upload/drive/v2/files/:fileId?uploadType=multipart',
]

export const differences: readonly SuiteDifference[] = [
  { why: 'They use an ETag from version 2 for a write with version 3, whose files have no ETags.', page, tests: etagTests },
  {
    why: 'They call version 2 of the API, which is not emulated, because Google calls version 3 the latest.',
    page,
    tests: version2Tests,
  },
]

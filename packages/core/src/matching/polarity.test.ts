import { describe, expect, it } from 'vitest'
import { isReversal } from './polarity.ts'

describe('a reversal', () => {
  it.each([
    ['remove_email_addresses', 'email_addresses'],
    ['removeEmailAddresses', 'email_addresses'],
    ['unsubscribe', 'subscribe'],
    ['unstarted', 'started'],
    ['not started', 'started'],
    ['notstarted', 'started'],
    ["isn't started", 'is started'],
    ['updated_after', 'created_after'],
    ['updatedafter', 'created_after'],
    ['created_before', 'created_after'],
    ['createdbefore', 'created_after'],
    ['created_at', 'created_after'],
    ['created_by', 'created_after'],
    ['exclude_label', 'label'],
    ['exlude_label', 'label'],
    ['highest', 'high'],
    ['disable_strict_validation', 'enable_strict_validation'],
    ['disable_strict_validation', 'strict_validation'],
    ['non-strict validation', 'strict_validation'],
    ['lenient_mode', 'strict_mode'],
    ['exclude_comments', 'include_comments'],
    ['without comments', 'include_comments'],
    ['only_archived', 'include_archived'],
    ['unread', 'read'],
    ['inactive', 'active'],
    ['active_only', 'inactive_only'],
    ['incomplete', 'completed'],
    ['blocks', 'blockedBy'],
    ['blocking', 'blocked_by'],
    ['duplicated_by', 'duplicates'],
    ['labels_to_add', 'labels_to_remove'],
    ['labels', 'labels_to_remove'],
    ['start_date', 'target_date'],
    ['startDate', 'due_date'],
    ['CreateComment', 'UpdateComment'],
    ['DeleteIssue', 'CreateIssue'],
    ['source_folder', 'destination_folder'],
    ['desc', 'asc'],
    ['Not in scope', 'In scope'],
    ['Ex-customers', 'Customers'],
    ['homeless', 'home'],
    ['open', 'closed'],
    ['skip_notification_email', 'send_notification_email'],
    ['child_issue', 'parent_issue'],
  ])('%j is never %j, nor the other way round', (one, other) => {
    expect([isReversal(one, other), isReversal(other, one)]).toEqual([true, true])
  })

  it.each([
    ['emailAddresses', 'email_addresses'],
    ['titel', 'title'],
    ['started', 'start'],
    ['starting', 'started'],
    ['add_labels', 'labels_to_add'],
    ['delete_labels', 'labels_to_remove'],
    ['clear_fields', 'fields_to_clear'],
    ['progress', 'In Progress'],
    ['In Review', 'Review'],
    ['design', 'Design team'],
    ['inbox', 'Inbox'],
    ['unstated', 'unstarted'],
    ['notes', 'note'],
    ['index', 'indices'],
    ['blocked_by', 'blockedBy'],
    ['is_blocked', 'blockedBy'],
    ['No. 5', '5'],
    ['no_priority', 'No priority'],
    ['none', 'one'],
    ['cursor', 'end_cursor'],
    ['url', 'source_url'],
    ['comment_id', 'parent_comment_id'],
    ['due', 'due_date'],
    ['date', 'due_date'],
    ['subscribed', 'subscribe'],
    ['remote', 'Remote work'],
    ['rename_file', 'RenameFile'],
    ['AddComments', 'AddComment'],
    ['', ''],
    ['', 'title'],
  ])('is not what %j and %j are', (one, other) => {
    expect([isReversal(one, other), isReversal(other, one)]).toEqual([false, false])
  })

  it('reads no more than the beginning of a long text', () => {
    expect(isReversal(`${'word '.repeat(100_000)}not`, 'word')).toBe(false)
  })
})

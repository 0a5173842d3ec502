import { expect, test } from 'vitest'
import { confirmChange, confirmCreated, confirmDone, sameText } from './confirm.ts'

test('a change that the record shows needs no notice', () => {
  expect(confirmChange('Linear', { title: true, due_date: undefined })).toBeUndefined()
  expect(confirmChange('Linear', {})).toBeUndefined()
})

test('a change that the record shows in part is named', () => {
  expect(confirmChange('Linear', { title: true, due_date: false, labels_to_add: false })).toBe(
    'Linear answered "success", but 2 fields did not take effect: due_date and labels_to_add. The result shows what Linear has stored.',
  )
})

test('a change that the record does not show at all is not a success', () => {
  expect(() => confirmChange('Linear', { title: false, due_date: undefined })).toThrow(
    'Linear answered "success", but the record that it returned shows no change: title does not have the value that you passed.',
  )
})

test('a field that the response leaves out counts neither as applied nor as ignored', () => {
  const unconfirmed =
    'Linear answered "success", but its response leaves out due_date, which cannot be confirmed. Read the record to be sure.'
  expect(confirmChange('Linear', { title: undefined, due_date: 'unread' })).toBe(unconfirmed)
  expect(confirmCreated('Linear', { title: true, due_date: 'unread' })).toBe(unconfirmed)
  expect(confirmChange('Linear', { title: false, due_date: 'unread' })).toBe(
    'Linear answered "success", but 1 field did not take effect: title; its response leaves out due_date, which cannot be confirmed. Read the record to be sure.',
  )
  expect(confirmDone('Linear', 'unread', 'ENG-1 is not archived')).toContain('without the field that confirms it')
  expect(confirmDone('Linear', true, 'ENG-1 is not archived')).toBeUndefined()
})

test('an action that the record does not show is not a success', () => {
  expect(() => {
    confirmDone('Linear', false, 'ENG-1 is not archived')
  }).toThrow('shows no change: ENG-1 is not archived. Read')
})

test('a new item exists, whatever is missing from its record', () => {
  expect(confirmCreated('Linear', { assignee: false })).toContain('1 field did not take effect: assignee.')
  expect(confirmCreated('Linear', { assignee: true })).toBeUndefined()
})

test('texts are the same when only markup or white space differs', () => {
  expect(sameText('* one\n* two', '- one\n\n- two\n')).toBe(true)
  expect(sameText('one', 'one two')).toBe(false)
  expect(sameText('', undefined)).toBe(true)
  expect(sameText('→', '⇒')).toBe(true)
})

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

test('a change that the record does not show at all is no success', () => {
  expect(() => confirmChange('Linear', { title: false, due_date: undefined })).toThrow(
    'Linear answered "success", but the record that it returned shows no change: title is not as passed.',
  )
})

test('an action that the record does not show is no success', () => {
  expect(() => {
    confirmDone('Linear', false, 'ENG-1 is not archived')
  }).toThrow('shows no change: ENG-1 is not archived. Read')
})

test('a new thing exists, whatever its record lacks', () => {
  expect(confirmCreated('Linear', { assignee: false })).toContain('1 field did not take effect: assignee.')
  expect(confirmCreated('Linear', { assignee: true })).toBeUndefined()
})

test('texts are the same when only markup or white space differs', () => {
  expect(sameText('* one\n* two', '- one\n\n- two\n')).toBe(true)
  expect(sameText('one', 'one two')).toBe(false)
  expect(sameText('', undefined)).toBe(true)
  expect(sameText('→', '⇒')).toBe(true)
})

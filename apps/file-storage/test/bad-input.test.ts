import { expect, test } from 'vitest'
import { addPath, storage, type Storage } from './storage.ts'

interface Bad {
  readonly tool: string
  readonly args: (ids: Readonly<Record<'work' | 'reports' | 'may', string>>) => Record<string, unknown>
  readonly code?: string
  readonly message: string
}

const bad: Readonly<Record<string, Bad>> = {
  'a folder into itself': {
    tool: 'MoveFile',
    args: ({ work }) => ({ source_file_path_or_id: work, destination_folder_path_or_id: work }),
    message: '"Work" cannot be moved into itself. Pass another destination folder.',
  },
  'a folder into a descendant': {
    tool: 'MoveFile',
    args: () => ({ source_file_path_or_id: 'Work', destination_folder_path_or_id: 'Work/Reports' }),
    message: 'The folder "Work" was not moved: a folder cannot be moved into its own subfolder.',
  },
  'a file as the destination': {
    tool: 'MoveFile',
    args: ({ may }) => ({ source_file_path_or_id: 'Work', destination_folder_path_or_id: may }),
    message: '"May.pdf" is a file, not a folder.',
  },
  'the top as the source': {
    tool: 'MoveFile',
    args: () => ({ source_file_path_or_id: 'root', destination_folder_path_or_id: 'Work' }),
    message: 'The root of a drive cannot be moved. Pass a file or folder in it.',
  },
  'no destination': {
    tool: 'MoveFile',
    args: () => ({ source_file_path_or_id: 'Work' }),
    message: '"destination_folder_path_or_id" is required.',
  },
  'an invalid address among good ones': {
    tool: 'ShareFile',
    args: () => ({ file_path_or_id: 'Work', email_addresses: ['ada@example.com', 'not an address', 'bob@example.com', '@x'] }),
    message: 'Not an email address in "email_addresses": "not an address", "@x".',
  },
  'no address': { tool: 'ShareFile', args: () => ({ file_path_or_id: 'Work', email_addresses: [] }), message: '"email_addresses" must' },
  'a role that is none': {
    tool: 'ShareFile',
    args: () => ({ file_path_or_id: 'Work', email_addresses: ['ada@example.com'], role: 'editor' }),
    message: '"role" must be "reader" or "commenter" or "writer", not "editor".',
  },
  'the role of the owner': {
    tool: 'ShareFile',
    args: () => ({ file_path_or_id: 'Work', email_addresses: ['ada@example.com'], role: 'owner' }),
    message: '"role" must be "reader" or "commenter" or "writer", not "owner".',
  },
  'an empty name for a folder': { tool: 'CreateFolder', args: () => ({ folder_name: '' }), message: '"folder_name" must not be blank.' },
  'a blank name for a folder': { tool: 'CreateFolder', args: () => ({ folder_name: ' \t' }), message: '"folder_name" must not be blank.' },
  'a name of 300 characters for a folder': {
    tool: 'CreateFolder',
    args: () => ({ folder_name: 'x'.repeat(300) }),
    message: '"folder_name" must have at most 255 characters, not 300.',
  },
  'an empty new name': {
    tool: 'RenameFile',
    args: ({ may }) => ({ file_path_or_id: may, new_filename: '' }),
    message: '"new_filename" must not be blank.',
  },
  'a new name of 300 characters': {
    tool: 'RenameFile',
    args: ({ may }) => ({ file_path_or_id: may, new_filename: 'x'.repeat(300) }),
    message: '"new_filename" must have at most 255 characters, not 300.',
  },
  'a path of slashes': {
    tool: 'RenameFile',
    args: () => ({ file_path_or_id: '///', new_filename: 'x' }),
    message: 'The root of a drive cannot be renamed.',
  },
  'the top under another name': {
    tool: 'RenameFile',
    args: () => ({ file_path_or_id: 'root', new_filename: 'x' }),
    message: 'The root of a drive cannot be renamed.',
  },
  'a limit of 0 for a search': { tool: 'SearchFiles', args: () => ({ query: 'x', limit: 0 }), message: '"limit" must be at least 1' },
  'a limit over 1,000 for a search': {
    tool: 'SearchFiles',
    args: () => ({ query: 'x', limit: 1_001 }),
    message: '"limit" must be at most 1000',
  },
  'a limit of 0 for a tree': { tool: 'GetFileTreeStructure', args: () => ({ limit: 0 }), message: '"limit" must be at least 1' },
  'nothing to search for': { tool: 'SearchFiles', args: () => ({ query: ' " ' }), message: '"query" must contain a word.' },
  'an order that is none': {
    tool: 'SearchFiles',
    args: () => ({ query: 'x', order_by: ['name', 'size'] }),
    message: '"order_by" must be one of these or a list of them: createdTime, createdTime desc, folder',
  },
  'a type that is none': {
    tool: 'SearchFiles',
    args: () => ({ query: 'x', file_types: 'docx' }),
    message: '"file_types" must be one of these or a list of them: spreadsheet, slides,',
  },
}

async function stateOf({ emulator }: Storage) {
  return Promise.resolve(JSON.stringify([emulator.store.mutations(), emulator.store.permissions(), emulator.store.mails()]))
}

test.for(Object.entries(bad))('rejects %s and changes nothing', async ([, { tool, args, message, code = 'invalid_input' }]) => {
  await using server = await storage()
  const [work = '', reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const before = await stateOf(server)
  const error = await server.fails(`FileStorage.${tool}`, args({ work, reports, may }))
  expect(error).toMatchObject({ code, retryable: false })
  expect(error.message).toContain(message)
  expect(await stateOf(server)).toBe(before)
})

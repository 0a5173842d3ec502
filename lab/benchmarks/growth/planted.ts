// Data directories of emulators with many records, which several series share because they take long to make.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { drive } from '../scale/drive.ts'
import { linear } from '../scale/linear.ts'

/** An emulator's data of one size. */
export interface Planting {
  readonly emulator: 'drive-emulator' | 'linear-emulator'
  /** Tells plantings of an emulator apart. */
  readonly name: string
  /** Makes the database. */
  readonly plant: (file: string, size: number) => Promise<void>
}

export const issues: Planting = { emulator: 'linear-emulator', name: 'issues', plant: linear.plant }
export const tree: Planting = { emulator: 'drive-emulator', name: 'tree', plant: drive.plant }

const folderType = 'application/vnd.google-apps.folder'

/** How many paths there are of the depth that is measured. */
export const pathCount = 20

const folderName = (level: number, path: number) => `Level ${level} of ${path}`
const fileName = (path: number) => `Note ${path}.txt`

/** The path of a file with so many names. */
export const nestedPath = (depth: number, path: number): string =>
  `/${[...Array.from({ length: depth - 1 }, (_, index) => folderName(index + 1, path)), fileName(path)].join('/')}`

/** Files so many levels deep, each in folders that no other shares. */
export const paths: Planting = {
  emulator: 'drive-emulator',
  name: 'paths',
  async plant(file, depth) {
    const emulator = driveEmulator({ file, seed: 'empty' })
    for (let number = 0; number < pathCount; number += 1) {
      let parent: string | undefined
      const add = (name: string, item: { readonly type?: string; readonly text?: string }) =>
        emulator.addItem({ name, ...item, ...(parent !== undefined && { parent }) })
      for (let level = 1; level < depth; level += 1) parent = add(folderName(level, number), { type: folderType })
      add(fileName(number), { text: `Note ${number}.` })
    }
    await emulator.close()
  },
}

const databases = { 'drive-emulator': drive.file, 'linear-emulator': linear.file } as const
const made = new Map<string, Promise<string>>()
let parent: string | undefined

/** The data directory with a planting of this size. It is made once, and removed when the process ends. */
export function directoryOf(planting: Planting, size: number): Promise<string> {
  const key = `${planting.name}-${size}`
  const directory = made.get(key) ?? make(planting, size, key)
  made.set(key, directory)
  return directory
}

async function make({ emulator, plant }: Planting, size: number, key: string): Promise<string> {
  parent ??= openParent()
  const directory = path.join(parent, key)
  mkdirSync(directory)
  await plant(path.join(directory, databases[emulator]), size)
  return directory
}

function openParent(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

// Bundles the server, emulator or tasks in the current directory into `dist`.
import { existsSync } from 'node:fs'
import { build } from 'tsup'
import emulator from './emulator.ts'
import app from './settings.ts'

const tasks = { ...emulator, entry: { main: 'main.ts', preload: '../benchmarks/peers/preload.ts' } }
const settings = existsSync('src/library.ts') ? emulator : existsSync('src/main.ts') ? app : tasks

await build({ ...settings, config: false, silent: true })

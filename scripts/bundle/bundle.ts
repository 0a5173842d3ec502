// Bundles the server or the emulator in the current directory into `dist`.
import { existsSync } from 'node:fs'
import { build } from 'tsup'
import emulator from './emulator.ts'
import app from './settings.ts'

await build({ ...(existsSync('src/library.ts') ? emulator : app), config: false, silent: true })

// Writes the declarations of the server or the emulator in the current directory into `dist`, after its bundle.
import { existsSync } from 'node:fs'
import { writeDeclarations, writeEmulatorDeclarations } from './declarations.ts'

await (existsSync('src/library.ts') ? writeEmulatorDeclarations() : writeDeclarations())

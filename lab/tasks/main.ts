#!/usr/bin/env node
// The command of the package: plays with our servers as npm has them.
import { homedir } from 'node:os'
import path from 'node:path'
import { runTasks } from './command.ts'
import { installInto } from './install.ts'
import manifest from './package.json' with { type: 'json' }

const cache = path.join(homedir(), '.cache', 'mcp-toolkits-tasks')

await runTasks({
  command: 'npx @mcp-toolkits/tasks',
  places: { cache, preload: path.join(import.meta.dirname, 'preload.js') },
  // The servers have the version of this package: they are released together.
  mainOf(name) {
    const directory = path.join(cache, `${name}_${manifest.version}`)
    installInto(directory, `@mcp-toolkits/${name}@${manifest.version}`)
    return path.join(directory, 'node_modules', '@mcp-toolkits', name, 'dist', 'main.js')
  },
})

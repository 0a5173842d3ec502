#!/usr/bin/env node
// The package's command: plays the tasks with our servers from npm.
import { homedir } from 'node:os'
import path from 'node:path'
import { runTasks } from './command.ts'
import { installInto } from './install.ts'
import manifest from './package.json' with { type: 'json' }

const cache = path.join(homedir(), '.cache', 'mcp-toolkits-tasks')

await runTasks({
  command: 'npx @mcp-toolkits/tasks',
  places: { cache, preload: path.join(import.meta.dirname, 'preload.js') },
  // The servers have this package's version, because they are released together.
  mainOf(name) {
    const directory = path.join(cache, `${name}_${manifest.version}`)
    installInto(directory, `@mcp-toolkits/${name}@${manifest.version}`)
    return path.join(directory, 'node_modules', '@mcp-toolkits', name, 'dist', 'main.js')
  },
})

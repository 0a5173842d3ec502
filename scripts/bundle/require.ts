import type { Options } from 'tsup'

const definition = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n"

/** Defines `require`, which ES modules lack and bundled CommonJS uses to load Node's modules. */
export const requireInModules: NonNullable<Options['plugins']>[number] = {
  name: 'require',
  renderChunk: (code) =>
    /\brequire ?[(.<!]/.test(code)
      ? {
          // The line that names the interpreter must stay first.
          code: code.replace(/^(?:#!.*\n)?/, (line) => `${line}${definition}`),
        }
      : undefined,
}

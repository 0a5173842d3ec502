import type { Options } from 'tsup'

const definition = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n"

/** Defines require, with which bundled CommonJS loads Node's modules, because ES modules do not have it. */
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

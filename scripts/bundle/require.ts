import type { Options } from 'tsup'

const definition = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n"

/** Bundled CommonJS loads Node's modules with require, which ES modules do not have. */
export const requireInModules: NonNullable<Options['plugins']>[number] = {
  name: 'require',
  renderChunk: (code) =>
    /\brequire ?[(.<!]/.test(code)
      ? {
          // The line that names the interpreter stays the first.
          code: code.replace(/^(?:#!.*\n)?/, (line) => `${line}${definition}`),
        }
      : undefined,
}

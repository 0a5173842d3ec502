import type { Options } from 'tsup'

/** Bundled CommonJS loads Node's modules with require, which ES modules do not have. */
export const requireInModules: NonNullable<Options['plugins']>[number] = {
  name: 'require',
  renderChunk: (code) =>
    /\brequire ?[(.<!]/.test(code)
      ? {
          code: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n${code}`,
        }
      : undefined,
}

import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'
import { withoutRooms } from './rooms.ts'

const template = /(?<=^export const (style|script) = `)[^`]+(?=`)/gm

/** Minifies the pages' style and script, which are template literals in modules. */
export const pages: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'pages',
  setup(build) {
    const shortened = async (text: string, loader: 'css' | 'js') => {
      // The script contains a function's source, which is inserted later.
      const inserted = /\$\{.+\}/.exec(text)?.[0]
      const whole = inserted === undefined ? text : text.replace(inserted, 'INSERTED')
      const { code } = await build.esbuild.transform(whole, { loader, minify: true })
      if (/[`\\]/.test(code)) throw new Error(`This cannot be part of a template literal: ${code}`)
      return inserted === undefined ? code : code.replace('INSERTED', () => inserted)
    }
    build.onLoad({ filter: /[\\/]kit[\\/]src[\\/](?:page|workspace[\\/]assets)\.ts$/ }, async ({ path: file }) => {
      let source = await readFile(file, 'utf8')
      for (const [text, name] of source.matchAll(template)) {
        const short = await shortened(text, name === 'style' ? 'css' : 'js')
        source = source.replace(text, () => short)
      }
      return { contents: withoutRooms(source, file), loader: 'ts' }
    })
  },
}

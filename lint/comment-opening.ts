interface Comment {
  readonly type: string
  readonly value: string
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } }
}

interface Context {
  readonly sourceCode: { readonly getAllComments: () => readonly Comment[] }
  readonly report: (problem: { readonly node: object; readonly message: string }) => void
}

const preposition = '(?:after|at|by|for|from|in|of|on|since|through|to|under|until|with)'
const relative = '(?:what|whatever|whether|which|who|whom|whose|how|where)'
const opening = new RegExp(`^\\*?[\\s*]*(?:of|nothing|none|(?:${preposition} )?${relative})\\b`, 'i')

/** True for a line that continues the line comment above it. */
const isContinuation = ({ type, loc }: Comment, previous?: Comment) =>
  type === 'Line' && previous?.type === 'Line' && previous.loc.end.line === loc.start.line - 1

/** Reports comments that open with a relative clause or a negation, which readers must finish to learn the subject. */
export const commentOpening = {
  create: ({ sourceCode, report }: Context) => ({
    Program() {
      const comments = sourceCode.getAllComments()
      for (const [index, comment] of comments.entries()) {
        const isChecked = comment.type === 'Line' ? !isContinuation(comment, comments[index - 1]) : comment.value.startsWith('*')
        if (!isChecked || !opening.test(comment.value)) continue
        const message = 'Open with the noun or the verb of the thing: "True if …", "Time that …", "Owner of …", "Finds …".'
        report({ node: comment, message })
      }
    },
  }),
}

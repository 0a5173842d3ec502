import { createHash } from 'node:crypto'
import type { Listing } from '../listing/listing.ts'
import type { Skill } from './readable.ts'

/** A skill as one server serves it: its text spells tool names as that server lists them. */
export interface ServedSkill extends Pick<Skill, 'frontmatter'> {
  readonly uri: string
  readonly text: string
  /** The text without the frontmatter, as a prompt. */
  readonly body: string
}

const frontmatter = /^---\n[^]*?\n---\n+/

/** The skills for which the server has every tool. */
export function servedSkills(skills: readonly Skill[], { spell }: Listing, prefix: string): ServedSkill[] {
  const shown = (tool: string) => spell(`${prefix}.${tool}`)
  return skills
    .filter(({ tools }) => tools.every((tool) => shown(tool) !== undefined))
    .map((skill) => {
      const [head = ''] = frontmatter.exec(skill.text) ?? []
      const body = skill.text
        .slice(head.length)
        .replaceAll(/`(\w+)`/g, (written, name: string) => `\`${shown(name) ?? written.slice(1, -1)}\``)
      return { frontmatter: skill.frontmatter, uri: `skill://${skill.frontmatter.name}/SKILL.md`, body, text: head + body }
    })
}

/** The entry of `skills/list`, with its only file's digest (https://github.com/modelcontextprotocol/ext-skills). */
export function skillEntry({ uri, text, frontmatter }: ServedSkill) {
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  return { uri, frontmatter, resources: [{ uri, digest, size: Buffer.byteLength(text) }] }
}

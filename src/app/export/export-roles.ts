import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { Role } from '../../roles/role.js'
import { markedExport } from '../../subagent/markdown-definition.js'
import type { ProjectRoles } from '../roles/project-roles.js'
import { type ExportedFile, textOf, write, writePart, writeWhole } from './exported-file.js'
import { executionSkill, guidelinesText, rolePrompt, rolesTable, ruleTexts } from './role-texts.js'

/** Whose files are written. */
export type ExportForm = 'claude' | 'neutral'

/** Where each kind of file is, relative to the folder. */
const places: Readonly<Record<ExportForm, Readonly<Record<'agents' | 'skill' | 'rules' | 'table', string>>>> =
  {
    claude: {
      agents: '.claude/agents',
      skill: '.claude/skills/tdd-execution/SKILL.md',
      rules: '.claude/rules',
      table: 'CLAUDE.md',
    },
    neutral: {
      agents: 'agents/roles',
      skill: 'agents/skills/tdd-execution.md',
      rules: 'agents/rules',
      table: 'AGENTS.md',
    },
  }
const guidelinesFolder = 'agents/guidelines'
const guidelinesReadme = 'docs/guardrails/README.md'

export interface ExportRequest {
  readonly project: ProjectRoles
  readonly form: ExportForm
  /** Folder, absolute. */
  readonly to: string
  /** How this program is called from there: `npx --no-install autotest`. */
  readonly command: string
}

/** Writes what coding agents outside need to work in three roles: agents with their hook, skill, rules, table and guidelines. What a person wrote stays. */
export async function exportRoles({
  project,
  form,
  to,
  command,
}: ExportRequest): Promise<readonly ExportedFile[]> {
  const { roles, guidelines, snapshot, config } = project
  const place = places[form]
  const exported: ExportedFile[] = []
  for (const role of roles)
    for (const name of [role.name, ...role.aliases])
      exported.push(await writeWhole(join(to, place.agents, `${name}.md`), agentFile(role, name, command)))
  const head = {
    name: 'tdd-execution',
    description: 'Build a task with three agents: test-writer, coder, debugger.',
  }
  const skill = markedExport('the roles of this project', stringify(head), executionSkill(command))
  exported.push(await writeWhole(join(to, place.skill), skill))
  for (const [name, text] of Object.entries(ruleTexts(roles, command)))
    exported.push(await writePart(join(to, place.rules, `${name}.md`), name, text))
  exported.push(await writePart(join(to, place.table), 'roles', rolesTable(roles)))
  exported.push(await writePart(join(to, guidelinesReadme), 'guidelines', guidelinesText(guidelines)))
  for (const guideline of guidelines) {
    const path = join(to, guidelinesFolder, `${guideline.id}.json`)
    const own = snapshot.files.get(`${config.agents}/guidelines/${guideline.id}.json`)
    const text = own === undefined ? `${JSON.stringify(guideline, null, 2)}\n` : new TextDecoder().decode(own)
    const before = await textOf(path)
    exported.push(
      before === undefined ? await write(path, text) : { path, outcome: before === text ? 'same' : 'kept' },
    )
  }
  return exported
}

/** Returns an agent with frontmatter; the hook denies whatever goes wrong, as another exit code than 2 would be a permission. */
function agentFile(role: Role, name: string, command: string): string {
  const head = {
    name,
    description: role.description,
    tools: role.tools.join(', '),
    ...(role.deniedTools.length === 0 ? {} : { disallowedTools: role.deniedTools.join(', ') }),
    model: 'inherit',
    hooks: {
      PreToolUse: [
        { matcher: '*', hooks: [{ type: 'command', command: `${command} guard --role ${name} || exit 2` }] },
      ],
    },
  }
  const text = stringify(head, { lineWidth: 0 })
  // Whoever misspells a key of a frontmatter is told nothing, and held to nothing.
  if (
    parse(text)?.hooks?.PreToolUse?.[0]?.hooks?.[0]?.command !== head.hooks.PreToolUse[0]?.hooks[0]?.command
  )
    throw new Error(`the frontmatter of ${name} does not read back`)
  return markedExport(`the role ${role.name}`, text, rolePrompt(role, role.prompt))
}

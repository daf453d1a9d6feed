/** The little Markdown that rules are written in, as data: nothing of it can act in a page. */

export interface Words {
  text: string
  kind: 'plain' | 'strong' | 'code'
}

export type Block =
  | { kind: 'heading'; level: number; words: Words[] }
  | { kind: 'paragraph'; words: Words[] }
  | { kind: 'list'; ordered: boolean; items: Words[][] }
  | { kind: 'table'; head: Words[][]; rows: Words[][][] }
  | { kind: 'code'; text: string }

const ITEM = /^(\d+\.|[-*]) +/
const PIECES = /(\*\*.+?\*\*|`[^`]+`)/

/** Words with what is strong and what is code; of a link only its words. */
export function wordsOf(text: string): Words[] {
  const plain = text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return plain
    .split(PIECES)
    .filter((piece) => piece)
    .map((piece) => {
      if (/^\*\*.+\*\*$/.test(piece)) return { kind: 'strong', text: piece.slice(2, -2) }
      if (/^`.+`$/.test(piece)) return { kind: 'code', text: piece.slice(1, -1) }
      return { kind: 'plain', text: piece }
    })
}

function cells(line: string): Words[][] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => wordsOf(cell.trim()))
}

export function blocksOf(markdown: string): Block[] {
  const parts = markdown.replace(/\r/g, '').split(/\n\s*\n/)
  return parts.flatMap((part) => blockOf(part.replace(/^\n+|\s+$/g, '')))
}

function blockOf(part: string): Block[] {
  const lines = part.split('\n')
  const first = lines[0] ?? ''
  if (!part.trim()) return []
  const heading = /^(#+) +(.*)$/.exec(first)
  if (heading) {
    const block: Block = {
      kind: 'heading',
      level: heading[1]?.length ?? 1,
      words: wordsOf(heading[2] ?? ''),
    }
    return [block, ...blockOf(lines.slice(1).join('\n'))]
  }
  if (first.startsWith('|')) {
    const [head = '', , ...rows] = lines
    return [{ kind: 'table', head: cells(head), rows: rows.map(cells) }]
  }
  if (lines.every((line) => line.startsWith('    '))) {
    return [{ kind: 'code', text: lines.map((line) => line.slice(4)).join('\n') }]
  }
  if (ITEM.test(first)) {
    const items: string[] = []
    for (const line of lines) {
      if (ITEM.test(line)) items.push(line.replace(ITEM, ''))
      else items.push(`${items.pop() ?? ''} ${line.trim()}`)
    }
    return [{ kind: 'list', ordered: /^\d/.test(first), items: items.map(wordsOf) }]
  }
  return [{ kind: 'paragraph', words: wordsOf(lines.map((line) => line.trim()).join(' ')) }]
}

const FOR_PLAYERS = ['Summary', 'Board and pieces', 'Course of play']

/** The part of a game's rules that players need: without notation, planes and figures. */
export function rulesForPlayers(markdown: string): Block[] {
  const blocks = blocksOf(markdown).filter((block) => block.kind !== 'heading' || block.level > 1)
  let wanted = true
  const found = blocks.filter((block) => {
    if (block.kind === 'heading' && block.level === 2) {
      wanted = FOR_PLAYERS.includes(block.words.map((each) => each.text).join(''))
    }
    return wanted
  })
  return found.length ? found : blocks
}

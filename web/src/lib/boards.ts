/** What every board component takes, and what a game brings to be shown with more than a drawing. */

import type { Component } from 'svelte'
import type { HintMark } from '../kit/hint_marks'
import type { BarredMove, Board, Candidates, GameEvent, LegalAction, LogEntry } from './protocol'

export interface BoardProps<Shown> {
  board: Shown
  moves?: LegalAction[]
  barred?: BarredMove[]
  hints?: HintMark[] // advice to be drawn
  events?: GameEvent[] // what led to this board
  onmove?: (move: LegalAction) => void
  onbarred?: (why: string) => void
  onillegal?: (from: string, to: string | null) => void // was tried, and nobody knows why not
  flipped?: boolean
  selected?: string | null
  seats?: string[] // what they are called
  you?: number | null // the seat of whoever looks
  groups?: string[][] // places that belong together, to be marked
  label?: string
}

/** A board without code for its game: the drawing of the server. */
export interface DrawnBoard extends Board {
  svg: string | null
  text: string | null
}

export function isDrawn(board: Board): board is DrawnBoard {
  return 'svg' in board
}

/** A page of a game, found under `/path` and named in the menu. */
export interface GamePage {
  path: string
  title: string
  load: () => Promise<{ default: Component }>
}

/** What `games/<game>/index.ts` exports: small, for it is always loaded. */
export interface GameIndex {
  pages?: GamePage[]
  load: () => Promise<{ default: GameParts }>
}

/** A question that the game itself answers (`questions` of its screen), and where to show it. */
export interface QuestionPanel {
  panel: Component<{ answer: never; seats: string[] }>
  unless?: (judged: Candidates) => boolean // asked after the candidates, if they leave it open
  groups?: (answer: never) => string[][] // places to be marked on the board
}

/** A sign of the game: its name, what it can do, and how it is drawn. */
export interface LegendEntry {
  name: string
  powers: string
  part?: Component<Record<string, unknown>> // drawn inside an SVG
  props?: Record<string, unknown>
  frame?: string // the viewBox, if not a square of 72 round the origin
}

/** What a guide looks at to see how far somebody is. */
export interface GuideState<Shown> {
  board: Shown
  moves: LegalAction[]
  selected: string | null
  own: LogEntry[] // what was done from the seat
}

export interface GuideStep<Shown = never> {
  say: string
  mark?: (state: GuideState<Shown>) => string[] // places to ring
  done?: (state: GuideState<Shown>) => boolean // without it there is a button to go on
}

/** The first game of somebody who has never played: a few turns with explanations. */
export interface Guide<Shown = never> {
  spec: string
  seats: string[] // `you` or an agent
  steps: GuideStep<Shown>[]
}

/** Everything of a game that is loaded when one of its boards is to be shown. */
export interface GameParts {
  board: Component<BoardProps<never>, object, 'selected'>
  sample?: Board // a position from a real game, for the first page
  picture?: Component<{ board: never }> // of the sample, if not the board itself
  legend?: LegendEntry[]
  guide?: Guide
  upperSeat?: number // sits above: sees the board turned, which anybody may do
  ownViews?: boolean // each side values positions by what it sees
  task?: (board: never, moves: LegalAction[]) => string | null // what is to be done, in words
  preparation?: {
    wanted: (board: never) => boolean // instead of the board
    part: Component<{
      board: never
      seat: number
      mayPlay: boolean
      onready: (actions: number[]) => void
    }>
  }
  beside?: Component<{ board: never }> // a panel
  tools?: Component // buttons under everything
  replayTools?: Component<{ id: string }> // buttons for a game of the archive
  ownButton?: (move: LegalAction) => boolean // the board itself has a button for it
  pictureAfter?: (board: never, event: GameEvent) => Board | null // see kit/frames.ts
  questions?: Record<string, QuestionPanel>
  beliefWords?: (value: string) => string
}

/** The places that an event speaks of. */
export function eventPlaces(event: GameEvent): string[] {
  return [event.from, event.to, event.place].filter((name) => typeof name === 'string')
}

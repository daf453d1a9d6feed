/** Short tones, made here: no files are needed. */

import { settings } from './settings.svelte'

let context: AudioContext | null = null

const TONES: Record<string, [number, number]> = {
  move: [420, 0.05],
  fight: [180, 0.16],
  turn: [660, 0.09],
  over: [330, 0.4],
}

export function play(kind: string): void {
  const tone = TONES[kind]
  if (!settings.sound || !tone) return
  context ??= new AudioContext()
  const oscillator = context.createOscillator()
  const volume = context.createGain()
  const [pitch, seconds] = tone
  oscillator.frequency.value = pitch
  oscillator.type = 'triangle'
  volume.gain.setValueAtTime(0.12, context.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + seconds)
  oscillator.connect(volume).connect(context.destination)
  oscillator.start()
  oscillator.stop(context.currentTime + seconds)
}

const SOUNDS: Record<string, string> = {
  combat: 'fight',
  fight: 'fight',
  capture: 'fight',
  over: 'over',
}

export function soundOf(kind: string): string {
  return SOUNDS[kind] ?? 'move'
}

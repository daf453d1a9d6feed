/** What a person has chosen for this browser; kept from visit to visit. */

type Pace = 'calm' | 'quick' | 'instant'

const WAITS: Record<Pace, number> = { calm: 1100, quick: 420, instant: 0 }

export function readChoice(key: string): string | null {
  try {
    return localStorage.getItem(`sandtable.${key}`)
  } catch {
    return null
  }
}

export function writeChoice(key: string, value: string): void {
  try {
    localStorage.setItem(`sandtable.${key}`, value)
  } catch {
    // storage is closed to this page: the choice holds until it is left
  }
}

class Settings {
  theme = $state<'light' | 'dark'>(
    document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
  )
  pace = $state<Pace>((readChoice('pace') as Pace | null) ?? 'quick')
  sound = $state(readChoice('sound') === 'on') // off until somebody turns it on
  name = $state(readChoice('name') ?? '')

  constructor() {
    this.showPace()
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      if (readChoice('theme') === null) this.showTheme(event.matches ? 'dark' : 'light')
    })
  }

  /** Milliseconds for which each thing that happens is shown. */
  get wait(): number {
    return WAITS[this.pace] ?? WAITS.quick
  }

  toggleTheme(): void {
    this.showTheme(this.theme === 'dark' ? 'light' : 'dark')
    writeChoice('theme', this.theme)
  }

  choosePace(pace: Pace): void {
    this.pace = pace
    writeChoice('pace', pace)
    this.showPace()
  }

  toggleSound(): void {
    this.sound = !this.sound
    writeChoice('sound', this.sound ? 'on' : 'off')
  }

  keepName(name: string): void {
    this.name = name
    writeChoice('name', name)
  }

  private showTheme(theme: 'light' | 'dark'): void {
    this.theme = theme
    document.documentElement.dataset.theme = theme
  }

  private showPace(): void {
    const seconds = { calm: 0.45, quick: 0.25, instant: 0 }[this.pace] ?? 0.25
    document.documentElement.style.setProperty('--pace', `${seconds}s`)
  }
}

export const settings = new Settings()

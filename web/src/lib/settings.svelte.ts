/** What a person has chosen for this browser; kept from visit to visit. */

type Pace = 'calm' | 'quick' | 'instant'

const WAITS: Record<Pace, number> = { calm: 1100, quick: 420, instant: 0 }

function read(key: string): string | null {
  try {
    return localStorage.getItem(`sandtable.${key}`)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
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
  pace = $state<Pace>((read('pace') as Pace | null) ?? 'quick')
  sound = $state(read('sound') === 'on') // off until somebody turns it on
  oneHigh = $state(read('one-high') === 'on')
  name = $state(read('name') ?? '')

  constructor() {
    this.showPace()
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      if (read('theme') === null) this.showTheme(event.matches ? 'dark' : 'light')
    })
  }

  /** Milliseconds for which each thing that happens is shown. */
  get wait(): number {
    return WAITS[this.pace] ?? WAITS.quick
  }

  toggleTheme(): void {
    this.showTheme(this.theme === 'dark' ? 'light' : 'dark')
    write('theme', this.theme)
  }

  choosePace(pace: Pace): void {
    this.pace = pace
    write('pace', pace)
    this.showPace()
  }

  toggleSound(): void {
    this.sound = !this.sound
    write('sound', this.sound ? 'on' : 'off')
  }

  toggleRanks(): void {
    this.oneHigh = !this.oneHigh
    write('one-high', this.oneHigh ? 'on' : 'off')
  }

  keepName(name: string): void {
    this.name = name
    write('name', name)
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

/** The live region: what is said to those who cannot see the board. */

class Announcer {
  text = $state('')
  private waiting: string[] = []
  private timer: ReturnType<typeof setTimeout> | null = null

  say(text: string): void {
    if (!text) return
    this.waiting.push(text)
    this.timer ??= setTimeout(() => {
      this.text = this.waiting.slice(-6).join('. ')
      this.waiting = []
      this.timer = null
    }, 120)
  }
}

export const announcer = new Announcer()

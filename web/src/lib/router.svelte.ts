/** Pages by address: `/`, `/room/ID`, `/replay/ID`, `/archive`, `/arena`, `/label`, `/setups`. */

import { keepKey } from './api'

class Router {
  path = $state(location.pathname)
  query = $state(new URLSearchParams(location.search))
  hash = $state(new URLSearchParams(location.hash.slice(1)))

  constructor() {
    addEventListener('popstate', () => this.read())
    addEventListener('hashchange', () => this.read())
    document.addEventListener('click', (event) => this.follow(event))
    this.read()
  }

  get page(): string {
    return this.path.split('/')[1] ?? ''
  }

  get id(): string {
    return decodeURIComponent(this.path.split('/')[2] ?? '')
  }

  go(to: string, { instead = false } = {}): void {
    if (instead) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
    this.read()
    scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true }) // screen readers start here
  }

  /** Take the secret part off the address, so that it is not passed on by accident. */
  forgetHash(): void {
    history.replaceState(null, '', location.pathname + location.search)
  }

  private read(): void {
    this.path = location.pathname
    this.query = new URLSearchParams(location.search)
    this.hash = new URLSearchParams(location.hash.slice(1))
    const key = this.hash.get('key')
    if (key) {
      keepKey(key)
      this.forgetHash()
    }
  }

  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
      return
    if (link.pathname.startsWith('/api/') || link.getAttribute('href')?.startsWith('#')) return
    event.preventDefault()
    this.go(link.pathname + link.search + link.hash)
  }
}

export const router = new Router()

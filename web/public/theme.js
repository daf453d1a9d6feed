// Before the first paint: the theme a person has chosen or the system's, so that nothing flashes.
let chosen = null
try {
  chosen = localStorage.getItem('sandtable.theme')
} catch {
  // storage is closed to this page: the system's theme it is
}
const dark = matchMedia('(prefers-color-scheme: dark)').matches
document.documentElement.dataset.theme = chosen || (dark ? 'dark' : 'light')

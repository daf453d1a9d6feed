// Runs the engine of an exported page outside of a browser: requests come in as lines of JSON,
// answers go out the same way. The scripts are those of the page, taken from its file.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { runInThisContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'

const page = readFileSync(process.argv[2], 'utf8')
const part = (id) => new RegExp(`<script id="${id}"[^>]*>([^]*?)</script>`).exec(page)[1]
runInThisContext(part('engine'))
const module = gunzipSync(Buffer.from(part('module'), 'base64'))
const ask = (method, ...values) => globalThis.sandtableEngine({ id: 0, method, values })
await ask('open', module, JSON.parse(part('facts')))
for await (const line of createInterface({ input: process.stdin })) {
  const [method, ...values] = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await ask(method, ...values))}\n`)
}

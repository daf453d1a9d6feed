/** Requests to the server. Everything that goes wrong becomes one line to show. */

export class Problem extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

const KEY = 'sandtable.key'

/** Keep the server's key that came with a link (`#key=...`) for this session. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key)
}

export function keyKept(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

async function request(
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<Response> {
  const headers: Record<string, string> = {}
  const key = sessionStorage.getItem(KEY)
  if (key) headers['X-Sandtable-Key'] = key
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
  } catch {
    throw new Problem('The server does not answer. Is it still running?', 0)
  }
  if (!response.ok) throw new Problem(await lineOf(response), response.status)
  return response
}

async function lineOf(response: Response): Promise<string> {
  try {
    const said = (await response.json()) as { error?: string }
    if (said.error) return said.error
  } catch {
    // no line in it: tell the status
  }
  return `The server answered with ${response.status}.`
}

export async function get<Answer>(path: string, token?: string): Promise<Answer> {
  return (await request('GET', path, undefined, token)).json() as Promise<Answer>
}

export async function post<Answer>(
  path: string,
  body: unknown = {},
  token?: string,
): Promise<Answer> {
  return (await request('POST', path, body, token)).json() as Promise<Answer>
}

export async function put<Answer>(path: string, body: unknown): Promise<Answer> {
  return (await request('PUT', path, body)).json() as Promise<Answer>
}

export async function remove<Answer>(path: string): Promise<Answer> {
  return (await request('DELETE', path)).json() as Promise<Answer>
}

/** Fetch text and hand it to the person as a file. */
export async function download(path: string, name: string, token?: string): Promise<void> {
  const blob = await (await request('GET', path, undefined, token)).blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/** The address of a request with its parameters; empty ones are left out. */
export function address(
  path: string,
  parameters: Record<string, string | number | null | undefined>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

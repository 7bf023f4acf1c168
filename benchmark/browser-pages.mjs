// Pages for measurements of the browser, our own and those of Rust's documentation, and the browser that shows them.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const range = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('')
const page = (title, body) => `<!doctype html><html lang=en><meta charset=utf-8><title>${title}</title><body>${body}`
const WORDS =
  'the harbour lay still while boats came in with their catch and people stood on the wall to see who had been lucky that night because weather had turned since noon'.split(
    ' ',
  )
const sentence = (seed) => {
  const words = range(14, (index) => ` ${WORDS[(seed * 7 + index * 5 + (seed % 3) * index) % WORDS.length]}`).trim()
  return `${words[0].toUpperCase()}${words.slice(1)}.`
}
const options = range(200, (index) => `<option value=c${index}>Country ${index}</option>`)

export const OWN_PAGES = {
  app: page(
    'Orders',
    `<nav aria-label=Main>${range(12, (index) => `<a href=/s${index}>Section ${index}</a> `)}</nav><main><h1>Orders</h1>
     <form aria-label=Filter><label>Name <input name=n></label><label>Password <input type=password value=x></label><label>Country <select>${options}</select></label>
     <label><input type=checkbox> Open only</label><button>Search</button></form>
     <table><thead><tr><th>No<th>Customer<th>Total<th>State<th>Actions<tbody>${range(200, (index) => `<tr><td>${1000 + index}<td><a href=/customers/${index}>Customer ${index}</a><td>$${index}.00<td>${index % 2 === 0 ? 'closed' : 'open'}<td><button>Edit</button><button>Delete</button>`)}</table>
     <x-card></x-card><iframe src=/inner title=Help width=300 height=100></iframe></main>
     <script>document.querySelector('x-card').attachShadow({ mode: 'open' }).innerHTML = '<h2>Card</h2><p>In the shadow</p><button>Shadow button</button>'</script>`,
  ),
  inner: page('Help', '<p>Help text <a href=/more>more</a></p>'),
  orders: page(
    'Stock',
    `<h1>Stock</h1><table><thead><tr><th>Item<th>Place<th>Count<th>Price<th>Order<tbody>${range(500, (index) => `<tr><td>Item ${index}<td>Shelf ${index % 40}<td>${(index * 37) % 911}<td>${((index * 53) % 997) / 10}<td><input type=number aria-label="Order of item ${index}" value=0><button>Add</button>`)}</table>`,
  ),
  list: page(
    'Messages',
    `<h1>Messages</h1><ul>${range(300, (index) => `<li><a href=/m/${index}>${sentence(index).slice(0, 60)}</a> <span>from User ${index % 23}</span> <time>${index} minutes ago</time> <button aria-label="Archive message ${index}">Archive</button>`)}</ul>`,
  ),
  menu: page(
    'Shop',
    `<nav><ul>${range(20, (top) => `<li><a href=/c/${top}>Category ${top}</a><ul>${range(15, (below) => `<li><a href=/c/${top}/${below}>Kind ${top}.${below}</a>`)}</ul>`)}</ul></nav>`,
  ),
  prose: page(
    'A story',
    `<article><h1>A story</h1>${range(12, (part) => `<h2>Part ${part + 1}</h2>${range(8, (paragraph) => `<p>${range(5, (index) => `${sentence(part * 97 + paragraph * 13 + index)} `)}</p>`)}`)}</article>`,
  ),
}

/** Parts of Rust's documentation, where it is installed. */
export const DOCUMENTATION = {
  'struct.Vec': 'std/vec/struct.Vec.html',
  'book chapter': 'book/ch02-00-guessing-game-tutorial.html',
  'std index': 'std/index.html',
  'platform table': 'rustc/platform-support.html',
}

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' }

/** What serves all of them. */
export function pageServer() {
  const documentation = rustDocumentation()
  return (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const own = OWN_PAGES[pathname.slice(1)]
    const file = documentation && path.join(documentation, path.normalize(decodeURIComponent(pathname)))
    if (own !== undefined) return response.setHeader('content-type', 'text/html; charset=utf-8').end(own)
    if (file?.startsWith(documentation) && existsSync(file) && path.extname(file) !== '') {
      const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
      return response.setHeader('content-type', `${type}; charset=utf-8`).end(readFileSync(file))
    }
    return response.writeHead(404).end()
  }
}

export function rustDocumentation() {
  const { status, stdout } = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' })
  const found = status === 0 && path.join(stdout.trim(), 'share/doc/rust/html')
  return found && existsSync(path.join(found, DOCUMENTATION['struct.Vec'])) ? found : undefined
}

export function findBrowser() {
  if (process.env.TENON_BROWSER) return process.env.TENON_BROWSER
  for (const name of ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return undefined
}

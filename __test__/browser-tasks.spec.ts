import { expect, onTestFinished, test } from 'vitest'

import type { AgentToolResult } from '../index.js'
import { refOf, siteOf, withBrowser, type Pages, type Site } from './support/browser.js'
import { toolkitOf } from './support/workspace.js'

/** Somebody who works with what is shown, and with references only. */
class Agent {
  snapshot = ''
  constructor(
    private readonly call: (params: Record<string, unknown>) => Promise<AgentToolResult<any>>,
    readonly site: Site,
  ) {}

  async do(params: Record<string, unknown>) {
    const { details } = await this.call(params)
    // What is new is put beside what is known.
    if (details.changed === 'navigation' || ['open', 'navigate', 'back', 'reload', 'snapshot'].includes(details.action))
      this.snapshot = details.snapshot ?? this.snapshot
    else if (details.snapshot) this.snapshot = `${details.snapshot}\n${this.snapshot}`
    return details
  }

  go = (path: string) => this.do({ action: 'navigate', url: `${this.site.url}${path}` })
  look = (params: Record<string, unknown> = {}) => this.do({ action: 'snapshot', ...params })
  ref = (text: string) => refOf(this.snapshot, text)
  click = (text: string, more: Record<string, unknown> = {}) => this.do({ action: 'click', ref: this.ref(text), ...more })
  fill = (text: string, value: string, more: Record<string, unknown> = {}) => this.do({ action: 'fill', ref: this.ref(text), text: value, ...more })
  press = (key: string) => this.do({ action: 'press', key })
  wait = (text: string) => this.do({ action: 'wait', text })
  text = async () => (await this.do({ action: 'text' })).text as string
}

const range = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join('')
/** Reports to the server what was done: `done('x')` in a page. */
const DONE = '<script>function done(what) { return fetch("/done?" + encodeURIComponent(what)) }</script>'

type Task = [name: string, page: string, wanted: string, (agent: Agent) => Promise<unknown>]

const TASKS: Task[] = [
  [
    'log in',
    '<form onsubmit="done(user.value + pass.value); return false"><label>User <input id=user></label><label>Password <input id=pass type=password></label><button>Log in</button></form>',
    'adapw',
    async (agent) => {
      await agent.do({
        action: 'fill',
        fields: [
          { ref: agent.ref('"User"'), value: 'ada' },
          { ref: agent.ref('"Password"'), value: 'pw' },
        ],
      })
      await agent.click('"Log in"')
    },
  ],
  [
    'search with Enter',
    '<form onsubmit="done(q.value); return false"><input id=q aria-label=Search></form>',
    'boats',
    (agent) => agent.do({ action: 'type', ref: agent.ref('"Search"'), text: 'boats', submit: true }),
  ],
  [
    'replace a value',
    '<input aria-label=City value=Oslo oninput="this.value === \'Bergen\' && done(this.value)">',
    'Bergen',
    (agent) => agent.fill('"City"', 'Bergen'),
  ],
  [
    'a long text with lines',
    '<textarea aria-label=Note></textarea><button onclick="done(document.querySelector(\'textarea\').value)">Save</button>',
    'one\ntwo',
    async (agent) => {
      await agent.fill('"Note"', 'one\ntwo')
      await agent.click('"Save"')
    },
  ],
  [
    'choose of many',
    `<select aria-label=Country onchange="done(this.value)">${range(200, (index) => `<option>Country ${index}`)}</select>`,
    'Country 150',
    (agent) => agent.do({ action: 'select', ref: agent.ref('"Country"'), values: ['Country 150'] }),
  ],
  [
    'choose several',
    '<select multiple aria-label=Tags onchange="done([...this.selectedOptions].map((it) => it.value).join())"><option>a<option>b<option>c</select>',
    'a,c',
    (agent) => agent.do({ action: 'select', ref: agent.ref('"Tags"'), values: ['a', 'c'] }),
  ],
  ['tick a box', '<label><input type=checkbox onchange="done(this.checked)"> Agree</label>', 'true', (agent) => agent.fill('"Agree"', 'true')],
  [
    'pick a radio button',
    '<label><input type=radio name=r value=s> Small</label><label><input type=radio name=r value=l onchange="done(this.value)"> Large</label>',
    'l',
    (agent) => agent.click('"Large"'),
  ],
  ['a date', '<label>Day <input type=date onchange="done(this.value)"></label>', '2026-01-31', (agent) => agent.fill('"Day"', '2026-01-31')],
  ['a slider', '<label>Volume <input type=range min=0 max=100 value=10 onchange="done(this.value)"></label>', '70', (agent) => agent.fill('"Volume"', '70')],
  [
    'an editable part',
    '<div contenteditable aria-label=Body role=textbox oninput="this.textContent === \'Hello\' && done(this.textContent)"></div>',
    'Hello',
    (agent) => agent.fill('"Body"', 'Hello'),
  ],
  [
    'one row of many',
    `<table>${range(300, (index) => `<tr><td>Customer ${index}<td><button onclick="done(${index})">Edit</button>`)}</table>`,
    '217',
    async (agent) => {
      await agent.look({ query: 'Customer 217' })
      await agent.click('Customer 217')
    },
  ],
  [
    'a folded row',
    `<ul>${range(120, (index) => `<li>Item ${index} <button onclick="done(${index})">Take item ${index}</button>`)}</ul>`,
    '60',
    async (agent) => {
      await agent.look({ scope: agent.ref('items like these'), offset: 50 })
      await agent.click('"Take item 60"')
    },
  ],
  [
    'sort, then act',
    `<button onclick="const rows = [...list.children]; rows.reverse().forEach((row) => list.append(row))">Sort</button><ul id=list>${range(5, (index) => `<li><button onclick="done(${index})">Open row ${index}</button>`)}</ul>`,
    '3',
    async (agent) => {
      const row = agent.ref('"Open row 3"')
      await agent.click('"Sort"')
      await agent.do({ action: 'click', ref: row })
    },
  ],
  [
    'next pages',
    "<p id=at>Page 1</p><button onclick=\"at.textContent = 'Page ' + (+at.textContent.slice(5) + 1); at.textContent === 'Page 4' && done(4)\">Next</button>",
    '4',
    async (agent) => {
      for (let page = 1; page < 4; page++) await agent.click('"Next"')
    },
  ],
  [
    'a menu on hover',
    '<style>#sub { display: none } #menu:hover #sub { display: block }</style><div id=menu><button>Menu</button><div id=sub><button onclick="done(1)">Settings</button></div></div>',
    '1',
    async (agent) => {
      await agent.do({ action: 'hover', ref: agent.ref('"Menu"') })
      await agent.click('"Settings"')
    },
  ],
  [
    'a menu on click',
    '<button onclick="sub.hidden = false">File</button><div id=sub role=menu hidden><div role=menuitem tabindex=0 onclick="done(2)">Export</div></div>',
    '2',
    async (agent) => {
      await agent.click('"File"')
      await agent.click('"Export"')
    },
  ],
  [
    'a context menu',
    '<div role=button tabindex=0 oncontextmenu="done(3); return false">Cell</div>',
    '3',
    (agent) => agent.click('"Cell"', { button: 'right' }),
  ],
  [
    'a combobox that suggests',
    '<input role=combobox aria-label=Town oninput="towns.innerHTML = `<li role=option onclick=done(this.textContent)>${this.value}heim`"><ul id=towns role=listbox></ul>',
    'Trondheim',
    async (agent) => {
      await agent.do({ action: 'type', ref: agent.ref('"Town"'), text: 'Trond' })
      await agent.click('Trondheim')
    },
  ],
  [
    'confirm',
    '<button onclick="confirm(\'Delete all?\') && done(4)">Delete</button>',
    '4',
    async (agent) => {
      const { dialog } = await agent.click('"Delete"')
      expect(dialog).toEqual({ type: 'confirm', message: 'Delete all?' })
      await agent.do({ action: 'dialog', accept: true })
    },
  ],
  [
    'prompt',
    '<button onclick="done(prompt(\'Name?\'))">Rename</button>',
    'Ada',
    async (agent) => {
      await agent.click('"Rename"')
      await agent.do({ action: 'dialog', accept: true, promptText: 'Ada' })
    },
  ],
  [
    'a dialog that covers the page',
    '<button onclick="done(5)">Go on</button><dialog open style="position:fixed;inset:0;width:100%;height:100%"><p>Cookies?</p><button onclick="this.closest(\'dialog\').close()">Accept</button></dialog>',
    '5',
    async (agent) => {
      await agent.click('"Accept"')
      await agent.look()
      await agent.click('"Go on"')
    },
  ],
  [
    'what comes late',
    "<button onclick=\"setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button onclick=done(6)>Ready</button>'), 700)\">Start</button>",
    '6',
    async (agent) => {
      await agent.click('"Start"')
      await agent.wait('Ready')
      await agent.look()
      await agent.click('"Ready"')
    },
  ],
  [
    'what is below the fold',
    '<div style="height:4000px">Top</div><button onclick="done(7)">Bottom</button>',
    '7',
    async (agent) => {
      await agent.look({ query: 'Bottom' })
      await agent.click('"Bottom"')
    },
  ],
  [
    'an endless list',
    `<div id=list>${range(30, (index) => `<p>Entry ${index}</p>`)}</div><script>addEventListener('scroll', () => { if (scrollY + innerHeight > document.body.scrollHeight - 50 && list.children.length < 90) { for (let i = 0; i < 30; i++) list.insertAdjacentHTML('beforeend', '<p>Entry ' + list.children.length + (list.children.length === 80 ? ' <button onclick=done(8)>Found</button>' : '') + '</p>') } })</script>`,
    '8',
    async (agent) => {
      for (let step = 0; step < 12 && !agent.snapshot.includes('"Found"'); step++) {
        await agent.do({ action: 'scroll', deltaY: 1500 })
        await agent.look({ query: 'Found' })
      }
      await agent.click('"Found"')
    },
  ],
  [
    'a frame',
    '<iframe srcdoc="<button onclick=&quot;parent.done(9)&quot;>Inside</button>" width=300 height=80></iframe>',
    '9',
    (agent) => agent.click('"Inside"'),
  ],
  [
    'a shadow root',
    '<x-box></x-box><script>const root = document.querySelector("x-box").attachShadow({ mode: "open" }); root.innerHTML = "<button>Shadow</button>"; root.querySelector("button").onclick = () => done(10)</script>',
    '10',
    (agent) => agent.click('"Shadow"'),
  ],
  [
    'drag a card',
    '<div draggable=true role=button tabindex=0 id=card style="width:80px;height:30px" ondragstart="event.dataTransfer.setData(\'text/plain\', \'card\')">Card</div><div id=bin role=button tabindex=0 aria-label=Bin style="width:200px;height:80px;margin-top:40px;border:1px solid" ondragover="event.preventDefault()" ondrop="done(event.dataTransfer.getData(\'text/plain\'))">Bin</div>',
    'card',
    (agent) => agent.do({ action: 'drag', ref: agent.ref('"Card"'), toRef: agent.ref('"Bin"') }),
  ],
  [
    'a file',
    '<label>File <input type=file onchange="this.files[0].text().then(done)"></label>',
    'content of a file',
    (agent) => agent.do({ action: 'upload', ref: agent.ref('"File"'), paths: ['note.txt'] }),
  ],
  [
    'a new tab',
    '<a href=/other target=_blank>Other</a>',
    'tab',
    async (agent) => {
      const { opened } = await agent.click('"Other"')
      await agent.do({ action: 'focus', tab: opened[0].tab })
      await agent.look()
      await agent.click('"In the tab"')
      await agent.do({ action: 'close', tab: opened[0].tab })
    },
  ],
]

test('there are thirty tasks', () => expect(TASKS).toHaveLength(30))

test.runIf(withBrowser)(
  'every task is done with references only, and nothing else is hit',
  async () => {
    const done: string[] = []
    const pages: Pages = {
      '/other': `${DONE}<button onclick="done('tab')">In the tab</button>`,
      '/done': (request, response) => (done.push(decodeURIComponent(request.url!.split('?')[1]!)), response.end()),
    }
    for (const [index, [, page]] of TASKS.entries()) pages[`/${index}`] = DONE + page
    const site = await siteOf(pages)
    const toolkit = toolkitOf({ 'note.txt': 'content of a file' }, { browser: { allowPrivate: [site.server] } })
    onTestFinished(() => toolkit.close())
    const agent = new Agent((params) => toolkit.execute('browser', params as any) as Promise<AgentToolResult<any>>, site)
    const outcomes: Record<string, unknown> = {}
    for (const [index, [name, , wanted, steps]] of TASKS.entries()) {
      done.length = 0
      try {
        await agent.go(`/${index}`)
        await steps(agent)
        for (const end = Date.now() + 10_000; done.length === 0 && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 10))
        outcomes[name] = done.join('|') === wanted ? 'done' : done.join('|')
      } catch (error) {
        outcomes[name] = String(error)
      }
    }
    expect(outcomes).toEqual(Object.fromEntries(TASKS.map(([name]) => [name, 'done'])))
  },
  300_000,
)

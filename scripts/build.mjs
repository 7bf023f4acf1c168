// npm run build, npm run build:debug: the addon, its loader and the helper program, into `native/`.

import process from 'node:process'

import { build } from './steps.mjs'

build(process.argv.includes('--debug') ? 'debug' : 'release')

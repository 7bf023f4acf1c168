// What the linker has to know of the frameworks of macOS that crates use, where there is no SDK of Apple: the names of functions and
// constants, and the declarations that zig has no header for. What is missing here is an error of the linker or the compiler, which says it.

/** By framework. */
const SYMBOLS = {
  CoreFoundation: [
    'CFArrayGetCount',
    'CFArrayGetTypeID',
    'CFArrayGetValueAtIndex',
    'CFDataGetBytePtr',
    'CFDataGetLength',
    'CFDataGetTypeID',
    'CFDictionaryGetTypeID',
    'CFDictionaryGetValueIfPresent',
    'CFEqual',
    'CFNumberGetTypeID',
    'CFNumberGetValue',
    'CFRelease',
    'CFRetain',
    'CFStringCreateWithBytes',
    'CFStringCreateWithBytesNoCopy',
    'CFStringGetBytes',
    'CFStringGetCStringPtr',
    'CFStringGetLength',
    'CFStringGetTypeID',
    'kCFAllocatorDefault',
    'kCFAllocatorNull',
  ],
  Security: [
    'SecCertificateCopyData',
    'SecCertificateGetTypeID',
    'SecCopyErrorMessageString',
    'SecTrustSettingsCopyCertificates',
    'SecTrustSettingsCopyTrustSettings',
  ],
}
/** By file: what mimalloc uses of them. */
const HEADERS = {
  'CommonCrypto/CommonCryptoError.h': ['#pragma once', '#include <stdint.h>', 'typedef int32_t CCCryptorStatus;', 'enum { kCCSuccess = 0 };'],
  'CommonCrypto/CommonRandom.h': [
    '#pragma once',
    '#include <stddef.h>',
    '#include <CommonCrypto/CommonCryptoError.h>',
    'typedef CCCryptorStatus CCRNGStatus;',
    'CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);',
  ],
}
const TARGETS = '[ x86_64-macos, arm64-macos ]'

/**
 * Headers, for `-I`.
 *
 * @returns {[file: string, text: string][]}
 */
export function headers() {
  return Object.entries(HEADERS).map(([file, lines]) => [file, `${lines.join('\n')}\n`])
}

/**
 * The files of the stubs, for `-L framework=`.
 *
 * @returns {[file: string, text: string][]}
 */
export function frameworks() {
  return Object.entries(SYMBOLS).map(([name, symbols]) => [
    `${name}.framework/${name}.tbd`,
    [
      '--- !tapi-tbd',
      'tbd-version: 4',
      `targets: ${TARGETS}`,
      `install-name: '/System/Library/Frameworks/${name}.framework/Versions/A/${name}'`,
      'exports:',
      `  - targets: ${TARGETS}`,
      `    symbols: [ ${symbols.map((symbol) => `_${symbol}`).join(', ')} ]`,
      '...',
      '',
    ].join('\n'),
  ])
}

// What the linker has to know of the frameworks of macOS that crates use, where there is no SDK of Apple: the names of functions and
// constants. A name that is missing here is an error of the linker, which says it.

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
const TARGETS = '[ x86_64-macos, arm64-macos ]'

/**
 * The files of the stubs, for `-L framework=`.
 *
 * @returns {[file: string, text: string][]}
 */
export function writeFrameworks() {
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

// @ts-check
'use strict'

/**
 * @typedef {import('../../index.d.ts').AgentToolResult<any>['content']} Content
 * @typedef {import('../../index.d.ts').ImageContent} ImageContent
 */

/** How each interface writes a text and an image of a result. */
const FORMS = {
  'ai-sdk-5': { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'media', data, mediaType: mimeType }) },
  'ai-sdk-6': { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'image-data', data, mediaType: mimeType }) },
  'ai-sdk-7': { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'file', data: { type: 'data', data }, mediaType: mimeType }) },
  anthropic: {
    text: asIs,
    image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'image', source: { type: 'base64', media_type: mimeType, data } }),
  },
  langchain: { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'image', mimeType, data }) },
  mcp: { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'image', data, mimeType }) },
  'openai-agents': { text: asIs, image: (/** @type {ImageContent} */ { data, mimeType }) => ({ type: 'image', image: { data, mediaType: mimeType } }) },
  'openai-chat': { text: asIs, image: (/** @type {ImageContent} */ image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } }) },
  'openai-responses': {
    text: (/** @type {string} */ text) => ({ type: 'input_text', text }),
    image: (/** @type {ImageContent} */ image) => ({ type: 'input_image', image_url: dataUrl(image), detail: 'auto' }),
  },
}

/**
 * The content of a result in the words of an interface.
 *
 * @param {Content} content
 * @param {keyof typeof FORMS} form
 * @returns {any[]}
 */
function partsOf(content, form) {
  const { text, image } = FORMS[form]
  return content.map((part) => (part.type === 'text' ? text(part.text) : image(part)))
}

/**
 * A result as a text where it has nothing else, and as parts where it has.
 *
 * @param {Content} content
 * @param {keyof typeof FORMS} form
 */
function textOrParts(content, form) {
  return content.every(({ type }) => type === 'text') ? textOf(content) : partsOf(content, form)
}

/**
 * The texts of a result. An image is named where an interface has no place for it.
 *
 * @param {Content} content
 */
function textOf(content) {
  return content.map((part) => (part.type === 'text' ? part.text : `[image, ${part.mimeType}: not shown here]`)).join('\n')
}

/** @param {Content} content */
function imagesOf(content) {
  return content.filter((part) => part.type === 'image')
}

/** @param {ImageContent} image */
function dataUrl({ data, mimeType }) {
  return `data:${mimeType};base64,${data}`
}

/** @param {string} text */
function asIs(text) {
  return { type: 'text', text }
}

module.exports = { imagesOf, partsOf, textOf, textOrParts }
